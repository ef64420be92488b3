// The files that the turns of a scene have written, each with the difference of its last write.

import type { ChangedFile } from '$lib/generated/ChangedFile';
import type { DiffRow } from '$lib/generated/DiffRow';
import type { FileDifference } from '$lib/generated/FileDifference';
import type { Undone } from '$lib/generated/Undone';
import type { Desk } from './desk';
import { error } from './fixtures';

export class Written {
  readonly #desks: Desk[];

  constructor(desks: readonly Desk[]) {
    this.#desks = desks.filter(({ undoable }) => undoable);
  }

  files(): ChangedFile[] {
    const paths = [...new Set(this.#desks.map(({ draft }) => draft.path))].toSorted();
    return paths.map((path) => {
      const of = this.#of(path);
      return {
        path,
        created: of[0]?.draft.old === null,
        writes: of.map(({ requestId, write }) => ({ requestId, write })),
        commands: 0,
        removed: false,
        kept: null,
        digest: this.#last(path).proposal().digest,
      };
    });
  }

  difference(path: string): FileDifference {
    const desk = this.#last(path);
    const { hunks, rows } = desk.view('');
    const { digest, added, removed } = desk.proposal();
    return { path, digest, added, removed, hunks, rows, changedSince: false };
  }

  rows(path: string, digest: string, from: number, count: number): DiffRow[] {
    return this.#last(path).rows(digest, from, count);
  }

  undo(path: string | null): Undone[] {
    return this.#desks
      .filter(({ draft }) => path === null || draft.path === path)
      .toReversed()
      .map((desk) => desk.undo());
  }

  #of(path: string): Desk[] {
    return this.#desks.filter(({ draft }) => draft.path === path);
  }

  #last(path: string): Desk {
    const desk = this.#of(path).at(-1);
    if (!desk)
      throw error(
        'write_unknown_session',
        'Orion has written nothing there, or it was undone.',
        'Look at what was done in the trace.',
      );
    return desk;
  }
}
