import { expect, test } from 'vitest';
import type { Question } from '$lib/generated/Question';
import { answersOf, type Said } from './questions';

const question = (kind: Question['kind'], options: string[] = []): Question => ({
  id: kind,
  question: 'Which?',
  kind,
  options,
});
const ALL = [question('choice', ['a', 'b']), question('several', ['x', 'y', 'z']), question('text')];

test('A8: what was chosen and what was written are the answer, in the order of the options', () => {
  const said: Said[] = [
    { chosen: ['b'], own: '' },
    { chosen: ['z', 'x'], own: ' w ' },
    { chosen: [], own: 'Because.' },
  ];
  expect(answersOf(ALL, said)).toEqual([
    { id: 'choice', answer: ['b'] },
    { id: 'several', answer: ['x', 'z', 'w'] },
    { id: 'text', answer: ['Because.'] },
  ]);
});

test('A8: nothing can be sent while an answer is missing', () => {
  expect(
    answersOf(ALL, [
      { chosen: ['b'], own: '' },
      { chosen: [], own: '  ' },
      { chosen: [], own: 'Because.' },
    ]),
  ).toBeNull();
  expect(answersOf([question('yes_no')], [{ chosen: [], own: 'maybe' }])).toBeNull();
  expect(answersOf([question('yes_no')], [{ chosen: ['yes'], own: '' }])).toEqual([{ id: 'yes_no', answer: ['yes'] }]);
});
