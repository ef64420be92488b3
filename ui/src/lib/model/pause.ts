// A paused turn in words: why it waits, and what it costs to resume it (A2). Pure.

import type { PausedResult } from '$lib/generated/PausedResult';
import type { PauseCause } from '$lib/generated/PauseCause';
import type { ResumeCost } from '$lib/generated/ResumeCost';
import type { Turn } from './turn';

/** A pause, as the turn waits in it. */
export interface Pause {
  digest: string;
  cause: PauseCause;
  results: PausedResult[];
  costs: ResumeCost;
}

/** What the phase bar says. */
export function pausedWords({ results }: Pause): string {
  if (results.length === 0) return 'Paused';
  return results.length === 1 ? 'Paused: look at the result' : 'Paused: look at the results';
}

/** What came of what was dropped, and what it costs to resume; null where it costs nothing. */
export function costWords(turn: Turn, { costs }: Pause): string | null {
  switch (costs) {
    case 'nothing':
      return null;
    case 'step': {
      const most = turn.start?.policy.maxCycles ?? 0;
      return `The answer was cut off; what had come is kept above. Resuming takes one of the turn's ${most} steps.`;
    }
    case 'write_prompt':
      return 'The file was cut off; what had come is kept. Resuming takes one of the prompts for this file.';
    case 'ends_turn':
      return 'This was the last answer of the turn. Resuming ends the turn with what had come.';
  }
}

/** Whether the person can ask this turn to pause. */
export function canPause(turn: Turn): boolean {
  return turn.end === null && !turn.interrupted && !turn.waiting && !turn.otherVersion && turn.start?.purpose === 'answer';
}
