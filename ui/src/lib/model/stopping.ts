// What a stop ends beyond the text that streams (A4), for its button. Pure.

import type { PendingOf } from '$lib/generated/PendingOf';
import { words } from '$lib/words';
import { asks } from './pending';
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

function unanswered(of: PendingOf): string {
  switch (of.type) {
    case 'call':
      return words.stopping.notRun(of.name);
    case 'write':
    case 'repeats':
      return words.stopping.notWritten(of.path);
    case 'questions':
      return words.stopping.unanswered;
    case 'pause':
      return words.stopping.notResumed;
  }
}

/** Whether its key stops the turn too. One that waits for what a person writes, or makes of results, is stopped by its button alone. */
export function stopsByKey(turn: Turn): boolean {
  return asks(turn, 'questions', 'pause') === null;
}
