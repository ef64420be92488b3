// What happens when a turn is resumed whose process died, in words (A5). Pure.

import type { ItemOf } from './item';
import { compacts } from './status';
import type { Turn } from './turn';
import { openWrite } from './write';

export interface Interruption {
  /** What was under way. */
  was: string;
  /** What resuming does; null where it does nothing that a new turn would not do better. */
  next: string | null;
}

/** Of a turn that was interrupted. */
export function interruption(turn: Turn): Interruption {
  if (turn.questioning) return { was: 'Orion was closed while it waited for your answer.', next: 'Resuming asks you again.' };
  if (turn.pause) return { was: 'Orion was closed while the turn was paused.', next: 'Resuming shows the pause again.' };
  const write = openWrite(turn);
  if (write) {
    const next = write.stage.kind === 'saving' ? 'Resuming looks on the disk whether it was written.' : 'Resuming goes on with the file.';
    return { was: `Orion was closed while ${write.path} was on its way. What had arrived is kept.`, next };
  }
  if (compacts(turn)) return { was: 'Orion was closed while the model wrote the summary. The conversation is as it was.', next: null };
  if (turn.asking) return { was: 'Orion was closed while it waited for your answer.', next: 'Resuming asks you again.' };
  const running = turn.items.find((item): item is ItemOf<'tool'> => item.kind === 'tool' && item.outcome === null);
  if (turn.phase.phase === 'tool_phase' && running) {
    return { was: `Orion was closed while ${running.name} ran.`, next: `${running.name} will run again; what has a result will not.` };
  }
  const was = 'Orion was closed while the model worked. What had arrived is kept above.';
  if (turn.phase.isFinal) return { was, next: 'It was the last answer of the turn, so resuming ends the turn with what arrived.' };
  return { was, next: 'The model will be asked to go on from there, which takes one step.' };
}
