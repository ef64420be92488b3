import fc from 'fast-check';
import { expect, test } from 'vitest';
import { difference } from '$lib/backend/replay/difference';
import { EDIT_FOX } from '$lib/backend/replay/drafts';
import type { DiffHunk } from '$lib/generated/DiffHunk';
import { entryAt, entryOfHunk, entryOfRow, layoutOf, pairsOf } from './layout';

const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 60 });
const textOf = (parts: readonly string[]) => parts.map((part) => `${part}\n`).join('');
const entriesOf = (layout: ReturnType<typeof layoutOf>) =>
  Array.from({ length: layout.length }, (_, index) => entryAt(layout, index));

test('every row is shown once and in order, in a hunk, between hunks or in a fold', () => {
  fc.assert(
    fc.property(lines, lines, fc.boolean(), (before, after, open) => {
      const { rows, hunks } = difference(textOf(before), textOf(after));
      const folds = new Set(open ? rows.map((_, index) => index) : []);
      const shown = entriesOf(layoutOf(hunks, rows.length, folds, null)).flatMap((entry) => {
        if (entry?.kind === 'row') return [entry.row];
        return entry?.kind === 'fold'
          ? Array.from({ length: entry.to - entry.from }, (_, index) => entry.from + index)
          : [];
      });
      expect(shown).toEqual(rows.map((_, index) => index));
    }),
  );
});

test('two columns show every row of a hunk once on its side, in order', () => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const { rows, hunks } = difference(textOf(before), textOf(after));
      for (const { firstRow, rows: length } of hunks) {
        const within = rows.slice(firstRow, firstRow + length);
        const pairs = pairsOf(within, firstRow);
        const numbered = within.map(({ kind }, index) => ({ kind, index: firstRow + index }));
        expect(pairs.flatMap(([old]) => old ?? [])).toEqual(
          numbered.filter(({ kind }) => kind !== 'added').map(({ index }) => index),
        );
        expect(pairs.flatMap(([, now]) => now ?? [])).toEqual(
          numbered.filter(({ kind }) => kind !== 'removed').map(({ index }) => index),
        );
      }
    }),
  );
});

test('an edit shows its changes under their headings and folds the rest', () => {
  const { rows, hunks } = difference(EDIT_FOX.old ?? '', EDIT_FOX.text);
  const layout = layoutOf(hunks, rows.length, new Set(), null);
  expect(
    entriesOf(layout).flatMap((entry) =>
      entry?.kind === 'hunk'
        ? [`change ${entry.hunk.number}`]
        : entry?.kind === 'fold'
          ? [`fold ${entry.to - entry.from}`]
          : [],
    ),
  ).toEqual(['change 1', 'fold 10', 'change 2', 'fold 15', 'change 3']);
  expect(entryAt(layout, entryOfHunk(layout, 3))).toEqual({ kind: 'hunk', hunk: hunks[2] });
  expect(entryAt(layout, layout.length)).toBeNull();
});

test('hunks that lie over each other or beyond the rows show no row twice', () => {
  const hunk = (number: number, firstRow: number, rows: number): DiffHunk => ({
    number,
    firstRow,
    rows,
    oldStart: 1,
    oldLines: 1,
    newStart: 1,
    newLines: 1,
  });
  const layout = layoutOf([hunk(1, 2, 5), hunk(2, 4, 6), hunk(3, 5, 2), hunk(4, 90, 30)], 100, new Set(), null);
  const rows = entriesOf(layout).flatMap((entry) => (entry?.kind === 'row' ? [entry.row] : []));
  expect(rows).toEqual([...new Set(rows)]);
  expect(Math.max(...rows)).toBe(99);
});

test('a difference of a million rows is made of a few stretches', () => {
  const layout = layoutOf(
    [{ number: 1, firstRow: 0, rows: 1_000_000, oldStart: 0, oldLines: 0, newStart: 1, newLines: 1_000_000 }],
    1_000_000,
    new Set(),
    null,
  );
  expect([layout.length, layout.stretches.length, entryAt(layout, 999_999)]).toEqual([
    1_000_000,
    1,
    expect.objectContaining({ kind: 'row', row: 999_999 }),
  ]);
});

test('a row is found where it is shown, in one column, in two, and in a fold', () => {
  const { rows, hunks } = difference(EDIT_FOX.old ?? '', EDIT_FOX.text);
  const columns = layoutOf(hunks, rows.length, new Set(), null);
  const beside = layoutOf(hunks, rows.length, new Set(), (hunk) =>
    pairsOf(rows.slice(hunk.firstRow, hunk.firstRow + hunk.rows), hunk.firstRow),
  );
  for (const layout of [columns, beside]) {
    for (const row of rows.keys()) {
      const entry = entryAt(layout, entryOfRow(layout, row));
      const there =
        entry?.kind === 'row'
          ? entry.row === row
          : entry?.kind === 'pair'
            ? entry.old === row || entry.new === row
            : entry?.kind === 'fold' && row >= entry.from && row < entry.to;
      expect(there).toBe(true);
    }
  }
});
