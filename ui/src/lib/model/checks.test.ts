import { expect, test } from 'vitest';
import type { Check } from '$lib/generated/Check';
import { changedParts, checkOf, draftOf } from './checks';

const BOUNDS = { most: 8, seconds: 300, mostSeconds: 600 };

const check: Check = { name: 'npm-test', command: ['npm', 'test'], timeoutS: 60, paths: ['src/**', '*.ts'], on: false };

test('a check that is edited and not touched stays what it was, also a program with its words', () => {
  expect(checkOf(draftOf(check, BOUNDS), check)).toEqual(check);
  expect(checkOf({ ...draftOf(check, BOUNDS), line: 'npm test', seconds: null, paths: ' a \n\n' }, check)).toEqual({
    ...check,
    command: 'npm test',
    timeoutS: 0,
    paths: ['a'],
  });
  expect(checkOf({ ...draftOf(null, BOUNDS), name: ' x ', line: 'make' }, null)).toEqual({
    name: 'x',
    command: 'make',
    timeoutS: 300,
    paths: [],
    on: true,
  });
});

test('of two scripts the parts that differ are side by side, and all of them where none that is shown does', () => {
  const script = (...parts: [string, string][]) => ({
    sha256: 'x',
    parts: parts.map(([from, text]) => ({ from, text })),
  });
  expect(changedParts(script(['a', '1'], ['b', '2']), script(['b', '3'], ['a', '1'], ['c', '4']))).toEqual([
    { from: 'b', before: '2', now: '3' },
    { from: 'c', before: null, now: '4' },
  ]);
  expect(changedParts(script(['a', '1']), script(['a', '1']))).toEqual([{ from: 'a', before: '1', now: '1' }]);
});
