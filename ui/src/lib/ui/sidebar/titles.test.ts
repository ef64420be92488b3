import { expect, test } from 'vitest';
import { fitted } from './titles';

const widthOf = (text: string) => text.length * 10;

test('a title that is too wide ends at a word, and no letter is cut', () => {
  expect(fitted('How does the config loader work?', 1_000, widthOf)).toBe('How does the config loader work?');
  expect(fitted('How does the config loader work?', 200, widthOf)).toBe('How does the config…');
  expect(fitted('How does the config loader work?', 199, widthOf)).toBe('How does the…');
  expect(fitted('Rounding, in the cart', 100, widthOf)).toBe('Rounding…');
});

test('a single word that is too wide is cut between its letters, and one letter always stays', () => {
  expect(fitted('src/lib/backend/replay/fixtures.ts', 100, widthOf)).toBe('src/lib/b…');
  expect(fitted('👩‍🚀👩‍🚀', 30, widthOf)).toBe('👩‍🚀…');
  expect(fitted('a title', 0, widthOf)).toBe('a title');
});
