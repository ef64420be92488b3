// The text of a file as a difference would leave it, to be read rather than reviewed. Pure. Not here: drawing it (ui/diff/Rendered.svelte).

import type { DiffHunk } from '$lib/generated/DiffHunk';
import type { DiffRow } from '$lib/generated/DiffRow';

/** The most rows of a file that is drawn as it reads. */
export const MOST_ROWS = 5_000;

/** Whether a file reads otherwise than it is written, as far as Orion can draw it. */
export const readsAsPage = (path: string): boolean => /\.(?:md|markdown)$/i.test(path);

/** The lines of the file with these rows, without what the person rejected. */
export function textOf(
  rows: readonly DiffRow[],
  hunks: readonly Pick<DiffHunk, 'number' | 'firstRow' | 'rows'>[],
  rejected: ReadonlySet<number>,
): string {
  const out = hunks.filter(({ number }) => rejected.has(number));
  const isOut = (at: number) => out.some(({ firstRow, rows: long }) => at >= firstRow && at < firstRow + long);
  return rows
    .filter(({ kind }, at) => kind === 'unchanged' || kind === (isOut(at) ? 'removed' : 'added'))
    .map(({ text }) => text)
    .join('\n');
}
