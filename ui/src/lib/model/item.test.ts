import { expect, test } from 'vitest';
import { insert, type Item, replaceTool, showOutput } from './item';

const tool: Item = { kind: 'tool', seq: 1, callId: 'c', name: 'talk', arguments: {}, outcome: null };
const outcome = { status: 'ok', summary: '', bytes: 0, truncated: false, durationMs: 1, error: null } as const;
const piece = (text: string, toolCallId = 'c') => ({ toolCallId, text });
const outputOf = (items: readonly Item[]) => items.map((item) => (item.kind === 'tool' ? item.output : null));

test('a running tool shows the last of its output, and its result in the place of it', () => {
  let items: readonly Item[] = insert([], tool);
  for (const text of ['a\n', 'b\n']) items = showOutput(items, piece(text));
  expect(outputOf(items)).toEqual(['a\nb\n']);
  items = showOutput(items, piece('x'.repeat(100_000)));
  expect(outputOf(items)).toEqual(['x'.repeat(16_384)]);
  expect(showOutput(items, piece('y', 'another'))).toBe(items);
  items = replaceTool(items, 'c', outcome, 2);
  expect(outputOf(items)).toEqual([undefined]);
  expect(showOutput(items, piece('late'))).toBe(items);
});
