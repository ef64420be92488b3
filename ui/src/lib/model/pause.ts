// A paused turn in words: why it waits, and what it costs to resume it (A2). Pure.

import { words } from '$lib/words';
import type { Asks } from './pending';
import type { Turn } from './turn';

/** What the phase bar says. */
export function pausedWords({ results }: Asks<'pause'>): string {
  return results.length === 0 ? words.status.paused : words.status.pausedResults(results.length);
}

/** What came of what was dropped, and what it costs to resume; null where it costs nothing. */
export function costWords(turn: Turn, { costs }: Asks<'pause'>): string | null {
  switch (costs) {
    case 'nothing':
      return null;
    case 'step':
      return words.resuming.cutOff(turn.start?.policy.maxCycles ?? 0);
    case 'write_prompt':
      return words.resuming.fileCutOff;
    case 'ends_turn':
      return words.resuming.endsTurn;
  }
}

/** Whether the person can ask this turn to pause. */
export function canPause(turn: Turn): boolean {
  return (
    turn.end === null && !turn.interrupted && !turn.waiting && !turn.otherVersion && turn.start?.purpose === 'answer'
  );
}
