// Rewinds of the recorded scenes: the writes of their turns go back, and one file that somebody else changed stays (A10).

import type { Rewind } from '$lib/generated/Rewind';
import type { RewindPreview } from '$lib/generated/RewindPreview';
import type { RewoundFile } from '$lib/generated/RewoundFile';
import type { Desk } from './desk';
import { error } from './fixtures';

const KEPT: RewoundFile = {
  path: 'docs/notes.md',
  change: null,
  error: error(
    'undo_stale',
    'docs/notes.md no longer holds what was written, so it stays as it is.',
    'Change it by hand, or ask the model to.',
  ),
};

/** What goes back to a message: the turns from it on, and the files that they wrote. */
export interface Back {
  sessionId: string;
  turns: number;
  desks: readonly Desk[];
  /** The tip that is left. */
  tip: string;
}

export class Rewinds {
  #last = new Map<string, { rewind: Rewind; back: Back }>();

  preview(requestId: string, back: Back): RewindPreview {
    return { requestId, turns: back.turns, files: filesOf(back.desks), digest: 'd1'.repeat(32) };
  }

  go(requestId: string, back: Back, conversation: boolean, files: boolean): Rewind {
    const desks = files ? back.desks.filter(({ undoable }) => undoable) : [];
    const told = files ? filesOf(back.desks) : [];
    const writes = desks.map((desk) => ({ requestId: desk.requestId, write: desk.write }));
    for (const desk of desks) desk.undo();
    const rewind = { requestId, conversation, undone: false, files: told, writes };
    this.#last.set(back.sessionId, { rewind, back });
    return rewind;
  }

  /** With the tip that comes back. */
  undo(requestId: string): { rewind: Rewind; back: Back } {
    const [sessionId, last] = [...this.#last].find(([, { rewind }]) => rewind.requestId === requestId) ?? [];
    if (!last || sessionId === undefined)
      throw error(
        'write_unknown_session',
        'There is no rewind to undo here.',
        'It was undone already, or the conversation never went back to this message.',
      );
    this.#last.delete(sessionId);
    for (const desk of last.back.desks) [desk.undone, desk.undoable] = [false, true];
    return {
      rewind: { ...last.rewind, undone: true, files: last.rewind.files.filter(({ change }) => change !== null) },
      back: last.back,
    };
  }

  /** A message that follows has the last word. */
  forget(sessionId: string): void {
    this.#last.delete(sessionId);
  }

  last(sessionId: string): Rewind | null {
    return this.#last.get(sessionId)?.rewind ?? null;
  }
}

function filesOf(desks: readonly Desk[]): RewoundFile[] {
  const written = desks.filter(({ undoable }) => undoable);
  const files = written.map(({ draft }): RewoundFile => ({
    path: draft.path,
    change: draft.old === null ? 'removed' : 'restored',
    error: null,
  }));
  return written.length > 0 ? [KEPT, ...files].toSorted((a, b) => (a.path < b.path ? -1 : 1)) : [];
}
