// What the next message can cost at most, in words (T4).

import type { Bounds } from '$lib/generated/Bounds';
import { count } from './words';

export function boundsWords(bounds: Bounds): string {
  return `at most ${count(bounds.modelCalls, 'model call')}, ${count(bounds.toolRuns, 'tool run')}, ${count(bounds.writePrompts, 'write prompt')}`;
}
