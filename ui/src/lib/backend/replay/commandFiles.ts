// The files that a command of a scene changed, as far as they are not undone, each with a difference.

import type { ChangedFile } from '$lib/generated/ChangedFile';
import type { CommandChange } from '$lib/generated/CommandChange';
import type { DiffRow } from '$lib/generated/DiffRow';
import type { FileDifference } from '$lib/generated/FileDifference';
import type { Undone } from '$lib/generated/Undone';
import { error } from './fixtures';

const DIGEST = 'd'.repeat(64);

const row = (kind: DiffRow['kind'], old: number | null, now: number | null, text: string): DiffRow => ({
  kind,
  old,
  new: now,
  text,
  cut: 0,
  noLineEnd: false,
  marks: [],
});

const ROWS: readonly DiffRow[] = [
  row('unchanged', 1, 1, 'exports[`the fox jumps`] = `'),
  row('removed', 2, null, '  over the dog'),
  row('added', null, 2, '  over the lazy dog'),
  row('added', null, 3, '  and back'),
  row('unchanged', 3, 4, '`;'),
];

export class CommandFiles {
  readonly #undone = new Set<string>();

  constructor(
    readonly requestId: string,
    readonly changed: readonly CommandChange[],
  ) {}

  files(): ChangedFile[] {
    return this.#open().map(({ path, change, kept }) => ({
      path,
      created: change === 'created',
      removed: change === 'removed',
      writes: [],
      commands: 1,
      kept: kept ?? null,
      digest: DIGEST,
    }));
  }

  difference(path: string): FileDifference {
    const hunk = { number: 1, firstRow: 0, rows: ROWS.length, oldStart: 1, oldLines: 3, newStart: 1, newLines: 4 };
    return { path, digest: DIGEST, added: 2, removed: 1, hunks: [hunk], rows: ROWS.length, changedSince: false };
  }

  rows(_path: string, _digest: string, from: number, count: number): DiffRow[] {
    return ROWS.slice(from, from + count);
  }

  undo(path: string | null): Undone[] {
    const those = this.#open().filter((file) => path === null || file.path === path);
    return those.toReversed().map(({ path: of, kept }) => {
      if (kept === undefined) this.#undone.add(of);
      const refused =
        kept === undefined
          ? null
          : error('undo_stale', `What a command changed of ${of} cannot be undone: ${kept}.`, '');
      return { requestId: this.requestId, write: null, path: of, error: refused };
    });
  }

  #open(): CommandChange[] {
    return this.changed
      .filter(({ path }) => !this.#undone.has(path))
      .toSorted((one, other) => (one.path < other.path ? -1 : 1));
  }
}
