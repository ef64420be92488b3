// What happens when a turn is resumed whose process died, in words (A5). Pure.

import { words } from '$lib/words';
import type { ItemOf } from './item';
import { asks } from './pending';
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
  if (asks(turn, 'questions')) return { was: words.resuming.closedWaiting, next: words.resuming.asksAgain };
  if (asks(turn, 'pause')) return { was: words.resuming.closedPaused, next: words.resuming.pausesAgain };
  const write = openWrite(turn);
  if (write) {
    const next = write.stage.kind === 'saving' ? words.resuming.looksOnDisk : words.resuming.goesOnWithFile;
    return { was: words.resuming.closedWriting(write.path), next };
  }
  if (compacts(turn)) return { was: words.resuming.closedSummingUp, next: null };
  if (turn.pending) return { was: words.resuming.closedWaiting, next: words.resuming.asksAgain };
  const running = turn.items.find((item): item is ItemOf<'tool'> => item.kind === 'tool' && item.outcome === null);
  if (turn.phase.phase === 'tool_phase' && running) {
    return { was: words.resuming.closedRunning(running.name), next: words.resuming.runsAgain(running.name) };
  }
  const was = words.resuming.closedWorking;
  if (turn.phase.isFinal) return { was, next: words.resuming.wasLast };
  return { was, next: words.resuming.takesStep };
}
