// What a replay of a turn came to, in words (T5, T8).

import type { Replay } from '$lib/generated/Replay';
import { words } from '$lib/words';

/** One line. */
export function outcome({ events, difference }: Replay): string {
  if (difference === null) return words.replayed.same(events);
  const { number, event, phase, toolBatchId, recorded, field } = difference;
  const where = toolBatchId === null ? words.replayed.phases[phase] : words.replayed.step(toolBatchId);
  if (recorded === null && field === null) return words.replayed.further(events, event, where);
  return words.replayed.different(number, events, event, where);
}

/** That a later version recorded the turn, by rules that this one does not know; null where this one knows all of them. */
export function laterVersion({ unknownFlags }: Replay): string | null {
  return unknownFlags.length === 0 ? null : words.replayed.laterVersion(unknownFlags);
}
