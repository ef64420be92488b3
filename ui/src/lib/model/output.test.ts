import { expect, test } from 'vitest';
import { drawn, lastLines, rowsOf, wholeOf } from './output';
import { type Item, showOutput } from './item';

const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}\n`).join('');

test('a line that is drawn over is what was drawn last, also while the next drawing is not there', () => {
  expect(drawn(' 1 %\r 50 %\r100 %\nnext\r\n\r\nlast')).toBe('100 %\nnext\r\n\r\nlast');
  expect(lastLines(' 1 %\r 50 %\r100 %\nnext\r\n\r\nlast\r')).toBe('100 %\nnext\n\nlast');
  expect(lastLines('\r')).toBe('');
});

test('of a running command the last twelve lines are shown, with what hides in them', () => {
  expect(lastLines(lines(1, 20))).toBe(lines(9, 20).trimEnd());
  expect(lastLines('a\u202eb\n')).toBe('a⟨U+202E⟩b');
});

test('drawings that are over take no room: what came before a long progress bar is still there', () => {
  const tool: Item = { kind: 'tool', seq: 1, callId: 'c', name: 'run_command', arguments: {}, outcome: null };
  let items: readonly Item[] = showOutput([tool], { toolCallId: 'c', text: 'Fetching\n' });
  for (let at = 0; at < 1_000; at += 1)
    items = showOutput(items, { toolCallId: 'c', text: `${'='.repeat(60)} ${at}\r` });
  expect(items.map((item) => item.kind === 'tool' && item.output)).toEqual([`Fetching\n${'='.repeat(60)} 999\r`]);
});

test('an output is rows with numbers, long lines in pieces, and says what is not kept', () => {
  expect(rowsOf({ start: 'a\n\nb\n', leftOut: 0, end: '' })).toEqual([
    { number: 1, text: 'a' },
    { number: 2, text: '' },
    { number: 3, text: 'b' },
  ]);
  expect(rowsOf({ start: '', leftOut: 0, end: '' })).toEqual([]);
  expect(rowsOf({ start: 'a\n', leftOut: 9_000, end: 'z' })).toEqual([
    { number: 1, text: 'a' },
    { leftOut: 9_000 },
    { number: null, text: 'z' },
  ]);
  expect(rowsOf({ start: 'x'.repeat(4_001), leftOut: 0, end: '' })).toEqual([
    { number: 1, text: 'x'.repeat(4_000) },
    { number: null, text: 'x' },
  ]);
  expect(wholeOf({ start: 'a\n', leftOut: 9_000, end: 'z' })).toBe('a\n\n[9.0 KB here were not kept.]\nz');
});
