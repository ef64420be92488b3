// What the next message can cost at most, in words (T4).

import type { Bounds } from '$lib/generated/Bounds';
import { count, dollars, duration } from './words';

export function boundsWords(bounds: Bounds): string {
  const most = [count(bounds.modelCalls, 'model call'), count(bounds.toolRuns, 'tool run'), count(bounds.writePrompts, 'write prompt')];
  if (bounds.seconds !== null) most.push(duration(bounds.seconds * 1_000));
  if (bounds.costUsd !== null) most.push(dollars(bounds.costUsd));
  return `at most ${most.join(', ')}`;
}

/** The same in short: what a person counts in. The first says most. */
export function boundFacts({ modelCalls, costUsd }: Bounds, steps: number): string[] {
  return [`up to ${count(modelCalls, 'call')}`, count(steps, 'step'), ...(costUsd === null ? [] : [dollars(costUsd)])];
}
