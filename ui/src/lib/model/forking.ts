// Forks (T9): where in a turn one can begin, and what is said of where one comes from.

import type { ForkedFrom } from '$lib/generated/ForkedFrom';
import { words } from '$lib/words';
import { isRunning, waitsForPerson } from './status';
import type { Turn } from './turn';

/** Whether a turn stands still, so that what a fork of it would be is not still changing. */
export function canFork(turn: Turn): boolean {
  return (
    !turn.otherVersion && turn.start?.purpose === 'answer' && (!isRunning(turn) || turn.waiting || waitsForPerson(turn))
  );
}

/**
 * The number of the phase, from 1, that a fork from a step goes on with: the model call that was given the step's results, where there was
 * one, and else the step itself. `seq` is that of the step.
 */
export function phaseAfter(turn: Turn, seq: number): number {
  const next = turn.items.find((item) => item.kind === 'tool_phase' && item.seq > seq)?.seq ?? Infinity;
  const answers = turn.phaseSeqs.findIndex((begun) => begun > seq && begun < next && !turn.promptSeqs.includes(begun));
  return (answers === -1 ? turn.phaseSeqs.indexOf(seq) : answers) + 1;
}

/** What the other session is called here. */
export function originName({ title }: Pick<ForkedFrom, 'title'>): string {
  return title === null ? words.message.sessionNotHere : title || words.chat.newChat;
}

export function sameOrigin(one: ForkedFrom | null, other: ForkedFrom | null): boolean {
  return (
    one?.requestId === other?.requestId &&
    one?.sessionId === other?.sessionId &&
    one?.title === other?.title &&
    one?.phase === other?.phase
  );
}
