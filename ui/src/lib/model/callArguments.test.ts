import { expect, test } from 'vitest';
import { read, sorted, written } from './callArguments';

const SCHEMA = {
  properties: { path: { default: '.' }, max_lines: { default: 400 }, start_line: { default: 1 } },
};

test('the argument that matters comes first and what the tool takes anyway is apart', () => {
  const args = { max_lines: 400, start_line: 7, path: 'src/config.rs' };
  expect(sorted(args, SCHEMA)).toEqual({
    chosen: [
      ['path', 'src/config.rs'],
      ['start_line', 7],
    ],
    defaults: [['max_lines', 400]],
  });
  // A default that is the one thing that matters is not hidden.
  expect(sorted({ path: '.', max_lines: 400 }, SCHEMA)).toEqual({
    chosen: [['path', '.']],
    defaults: [['max_lines', 400]],
  });
});

test('without a schema nothing is hidden, and what is no object has no arguments', () => {
  expect(sorted({ a: 1, path: 'x' }, null)).toEqual({
    chosen: [
      ['path', 'x'],
      ['a', 1],
    ],
    defaults: [],
  });
  for (const none of [null, undefined, 'text', 3]) expect(sorted(none, SCHEMA).defaults).toEqual([]);
});

test('what a person wrote has the kind that it had before', () => {
  expect([written('a b'), written(7), written(['a'])]).toEqual(['a b', '7', '["a"]']);
  expect([read('7', 'text'), read('7', 1), read('[1]', ['a']), read('many', 1)]).toEqual([
    { value: '7' },
    { value: 7 },
    { value: [1] },
    null,
  ]);
});
