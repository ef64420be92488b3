import { expect, test } from 'vitest';
import { compactedWords, cutWords } from './cutWords';

const cut = {
  cause: 'full',
  results: 2,
  messages: 0,
  tokensBefore: 2_600,
  tokensAfter: 1_450,
  room: 3_000,
  pins: 0,
} as const;

test('a cut says what left and how full the room is', () => {
  expect(cutWords(cut)).toBe(
    'The conversation was getting too long: 2 tool results were taken out. The context was 87 % full, and is 48 % full now.',
  );
  expect(cutWords({ ...cut, cause: 'refused', results: 1, messages: 12 })).toBe(
    'The provider said that the conversation is too long: 1 tool result and 12 messages were taken out. The context was 87 % full, and is 48 % full now.',
  );
  expect(cutWords({ ...cut, results: 0, messages: 1 })).toContain(': 1 message was taken out.');
});

test('where only the beginning changed, nothing left', () => {
  expect(cutWords({ ...cut, cause: 'changed', results: 0 })).toBe(
    'The conversation is sent again from the start, because its tools changed.',
  );
});

test('what was too far back to be read is told as well', () => {
  expect(cutWords({ ...cut, results: 0 })).toBe(
    "The session is longer than the model's context: its first turns are not sent.",
  );
});

test('X4: a compaction says what it stands for and what it gained', () => {
  expect(compactedWords({ turns: 12, tokensBefore: 23_400, tokensAfter: 910 })).toBe(
    '12 turns summed up: about 23,400 tokens became 910.',
  );
  expect(compactedWords({ turns: 1, tokensBefore: 900, tokensAfter: 90 })).toContain('1 turn summed up');
});
