import { expect, test } from 'vitest';
import type { DiffRow } from '$lib/generated/DiffRow';
import { readsAsPage, textOf } from './rendered';

const row = (kind: DiffRow['kind'], text: string): DiffRow => ({
  kind,
  text,
  old: null,
  new: null,
  cut: 0,
  noLineEnd: false,
  marks: [],
});

test('the text is that of the file as it would be, with what was rejected as it is', () => {
  const rows = [row('unchanged', '# A'), row('removed', 'old'), row('added', 'new'), row('added', 'more')];
  const hunks = [
    { number: 1, firstRow: 1, rows: 2 },
    { number: 2, firstRow: 3, rows: 1 },
  ];
  expect(textOf(rows, hunks, new Set())).toBe('# A\nnew\nmore');
  expect(textOf(rows, hunks, new Set([1]))).toBe('# A\nold\nmore');
  expect(textOf(rows, hunks, new Set([1, 2]))).toBe('# A\nold');
});

test('Markdown reads as a page, and nothing else does', () => {
  expect(['docs/guide.md', 'README.MD', 'a.markdown', 'a.mdx', 'md', 'src/a.rs'].map(readsAsPage)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
});
