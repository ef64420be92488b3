// What the next message can cost at most, in words (T4).

import type { Bounds } from '$lib/generated/Bounds';
import { words } from '$lib/words';
import { dollars } from './words';

export function boundsWords(bounds: Bounds): string {
  return words.bounds.most(bounds.modelCalls, bounds.toolRuns, bounds.writePrompts, bounds.seconds, bounds.costUsd);
}

/** The same in short: what a person counts in. The first says most. */
export function boundFacts({ modelCalls, costUsd }: Bounds, steps: number): string[] {
  return [words.bounds.calls(modelCalls), words.bounds.steps(steps), ...(costUsd === null ? [] : [dollars(costUsd)])];
}
