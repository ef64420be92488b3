// What the next message can cost at most, in words (T4).

import type { Bounds } from '$lib/generated/Bounds';
import { words } from '$lib/words';

export function boundsWords(bounds: Bounds): string {
  return words.bounds.most(bounds.modelCalls, bounds.toolRuns, bounds.writePrompts, bounds.seconds, bounds.costUsd);
}
