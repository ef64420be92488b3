import { expect, test } from 'vitest';
import { kindOf } from './sessionKind';

test('the mark before a title becomes a kind, and no other title has one', () => {
  expect(['Fork: The loader', 'Fork 2: The loader', 'Two-stage: A', 'Unified 3: A'].map(kindOf)).toEqual([
    { kind: 'fork', rest: 'The loader' },
    { kind: 'fork', rest: '2: The loader' },
    { kind: 'two_stage', rest: 'A' },
    { kind: 'unified', rest: '3: A' },
  ]);
  expect(['Fork the project', 'Fork: ', 'A Fork: B'].map(kindOf)).toEqual([
    { kind: null, rest: 'Fork the project' },
    { kind: null, rest: 'Fork: ' },
    { kind: null, rest: 'A Fork: B' },
  ]);
});
