// What a preview shows, entry by entry: each hunk under its heading, unchanged lines between them folded. Made of stretches,
// so that a difference of a million rows costs no more than its hunks. Not here: the rows themselves, which come in pages.

import type { DiffHunk } from '$lib/generated/DiffHunk';
import type { DiffRow } from '$lib/generated/DiffRow';

export type Entry =
  | { kind: 'hunk'; hunk: DiffHunk }
  | { kind: 'row'; row: number; hunk: DiffHunk | null }
  | { kind: 'pair'; old: number | null; new: number | null; hunk: DiffHunk }
  | { kind: 'fold'; from: number; to: number };

/** Two columns: the rows beside each other, null where one side has none. */
export type Pair = readonly [old: number | null, now: number | null];

type Stretch = { at: number; length: number } & (
  | { kind: 'hunk'; hunk: DiffHunk }
  | { kind: 'rows'; from: number; hunk: DiffHunk | null }
  | { kind: 'pairs'; pairs: readonly Pair[]; hunk: DiffHunk }
  | { kind: 'fold'; from: number; to: number }
);

export interface Layout {
  length: number;
  stretches: readonly Stretch[];
}

/** The fewest rows that are worth folding. */
const LEAST_FOLDED = 4;

/** The only change of a new file: it needs no heading, and no numbers of old lines. */
export const isWhole = (hunks: readonly DiffHunk[], rows: number): boolean =>
  hunks.length === 1 && hunks[0]?.oldLines === 0 && hunks[0].rows === rows;

/** `open` has the first rows of the folds that were opened; `pairs` the two columns of a hunk, or null for one column. */
export function layoutOf(
  hunks: readonly DiffHunk[],
  rows: number,
  open: ReadonlySet<number>,
  pairs: ((hunk: DiffHunk) => readonly Pair[]) | null,
): Layout {
  const stretches: Stretch[] = [];
  let length = 0;
  let done = 0;
  const push = (stretch: { [K in Stretch['kind']]: Omit<Extract<Stretch, { kind: K }>, 'at'> }[Stretch['kind']]) => {
    if (stretch.length <= 0) return;
    stretches.push({ ...stretch, at: length });
    length += stretch.length;
  };
  const unchanged = (from: number, to: number) => {
    if (to - from < LEAST_FOLDED || open.has(from)) push({ kind: 'rows', from, length: to - from, hunk: null });
    else push({ kind: 'fold', from, to, length: 1 });
  };
  for (const hunk of hunks) {
    const [from, to] = [Math.max(hunk.firstRow, done), Math.min(hunk.firstRow + hunk.rows, rows)];
    if (to <= from) continue;
    unchanged(done, from);
    if (!isWhole(hunks, rows)) push({ kind: 'hunk', hunk, length: 1 });
    if (pairs) {
      const beside = pairs(hunk);
      push({ kind: 'pairs', pairs: beside, hunk, length: beside.length });
    } else push({ kind: 'rows', from, hunk, length: to - from });
    done = to;
  }
  unchanged(done, rows);
  return { length, stretches };
}

export function entryAt({ stretches }: Layout, index: number): Entry | null {
  const stretch = stretches[lastAt(stretches, index)];
  const within = stretch ? index - stretch.at : 0;
  if (!stretch || within < 0 || within >= stretch.length) return null;
  switch (stretch.kind) {
    case 'hunk':
      return { kind: 'hunk', hunk: stretch.hunk };
    case 'rows':
      return { kind: 'row', row: stretch.from + within, hunk: stretch.hunk };
    case 'pairs': {
      const [old, now] = stretch.pairs[within] ?? [null, null];
      return { kind: 'pair', old, new: now, hunk: stretch.hunk };
    }
    case 'fold':
      return { kind: 'fold', from: stretch.from, to: stretch.to };
  }
}

/** Lines added and removed by these hunks. */
export function changesOf(hunks: readonly DiffHunk[]): { added: number; removed: number } {
  return hunks.reduce(
    (sum, hunk) => ({ added: sum.added + hunk.rows - hunk.oldLines, removed: sum.removed + hunk.rows - hunk.newLines }),
    { added: 0, removed: 0 },
  );
}

/** Where the heading of a hunk stands. */
export function entryOfHunk({ stretches }: Layout, number: number): number {
  return stretches.find((stretch) => stretch.kind === 'hunk' && stretch.hunk.number === number)?.at ?? 0;
}

function lastAt(stretches: readonly Stretch[], index: number): number {
  let [low, high] = [0, stretches.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((stretches[middle] as Stretch).at <= index) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Where a row stands: itself, or the fold it is in. */
export function entryOfRow({ stretches }: Layout, row: number): number {
  for (const stretch of stretches) {
    if (stretch.kind === 'rows' && row >= stretch.from && row < stretch.from + stretch.length)
      return stretch.at + row - stretch.from;
    if (stretch.kind === 'fold' && row >= stretch.from && row < stretch.to) return stretch.at;
    if (stretch.kind === 'pairs') {
      const within = stretch.pairs.findIndex(([old, now]) => old === row || now === row);
      if (within !== -1) return stretch.at + within;
    }
  }
  return 0;
}

/** The two columns of a hunk: what was removed beside what was added in its place. `rows` are its rows, the first has number `from`. */
export function pairsOf(rows: readonly Pick<DiffRow, 'kind'>[], from: number): Pair[] {
  const pairs: Pair[] = [];
  let at = 0;
  while (at < rows.length) {
    if (rows[at]?.kind === 'unchanged') {
      pairs.push([from + at, from + at]);
      at += 1;
      continue;
    }
    const [old, now]: [number[], number[]] = [[], []];
    for (; at < rows.length && rows[at]?.kind !== 'unchanged'; at++)
      (rows[at]?.kind === 'removed' ? old : now).push(from + at);
    for (let index = 0; index < Math.max(old.length, now.length); index++)
      pairs.push([old[index] ?? null, now[index] ?? null]);
  }
  return pairs;
}
