// What a stop ends beyond the text that streams (A4), for its button. Pure.

import { isRunning } from './status';
import type { Turn } from './turn';
import { count } from './words';
import { openWrite } from './write';

/** `queued`: messages that wait until the turn has ended. */
export function stopWords(turn: Turn, queued: number): string {
  if (!isRunning(turn)) return '';
  const write = openWrite(turn);
  const ends: string[] = [];
  if (write) ends.push(`${write.path} is not written`);
  else if (turn.asking) ends.push(`${turn.asking.name} does not run`);
  else if (turn.questioning) ends.push('the questions stay unanswered');
  else if (turn.pause) ends.push('the paused turn cannot be resumed');
  else {
    const running = turn.items.flatMap((item) => (item.kind === 'tool' && item.outcome === null ? [item.name] : []));
    if (turn.phase.phase === 'tool_phase' && running.length > 0) ends.push(`${running.join(', ')} is cancelled`);
  }
  const steered = turn.items.filter((item) => item.kind === 'steered' && item.to === 'waiting').length;
  if (queued + steered > 0) ends.push(`${count(queued + steered, 'waiting message')} ${queued + steered === 1 ? 'returns' : 'return'} to the message box`);
  return ends.length === 0 ? 'Stop the turn. What has come stays.' : `Stop the turn: ${ends.join('; ')}.`;
}
