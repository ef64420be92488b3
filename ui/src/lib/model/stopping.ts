// What a stop ends beyond the text that streams (A4), for its button. Pure.

import { words } from '$lib/words';
import { unanswered } from './asked';
import { isRunning } from './status';
import type { Turn } from './turn';
import { openWrite } from './write';

/** `queued`: messages that wait until the turn has ended. */
export function stopWords(turn: Turn, queued: number): string {
  if (!isRunning(turn)) return '';
  const write = openWrite(turn);
  const ends: string[] = [];
  if (write) ends.push(words.stopping.notWritten(write.path));
  else if (turn.pending) ends.push(unanswered(turn.pending.of));
  else {
    const running = turn.items.flatMap((item) => (item.kind === 'tool' && item.outcome === null ? [item.name] : []));
    if (turn.phase.phase === 'tool_phase' && running.length > 0) ends.push(words.stopping.cancelled(running));
  }
  const steered = turn.items.filter((item) => item.kind === 'steered' && item.to === 'waiting').length;
  if (queued + steered > 0) ends.push(words.stopping.messagesReturn(queued + steered));
  return ends.length === 0 ? words.stopping.nothing : words.stopping.ends(ends);
}

/** Whether its key stops the turn too. One that waits for a person is stopped by its button alone: a key answers no question (A7). */
export function stopsByKey(turn: Turn): boolean {
  return isRunning(turn) && turn.pending === null;
}
