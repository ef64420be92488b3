import { expect, test } from 'vitest';
import { session } from '$lib/backend/replay/fixtures';
import type { SessionSpent } from '$lib/generated/SessionSpent';
import { spentWords } from './spent';

// T7: a cost that is not known is said to be unknown, and a total without it to be a part.
test('a session says what it has cost, and where that is not all of it', () => {
  const words = (turns: number, spent: Partial<SessionSpent>) =>
    spentWords({
      ...session('s', 'p', 'A chat', 0),
      turns,
      spent: { costUsd: null, pricedTurns: 0, promptTokens: 45_000, completionTokens: 210, ...spent },
    });
  expect(words(3, { costUsd: 0.0234, pricedTurns: 3 })).toBe('This session has used 45,210 tokens so far, for $0.02.');
  expect(words(3, { costUsd: 0.0234, pricedTurns: 2 })).toBe(
    'This session has used 45,210 tokens so far, for at least $0.02.',
  );
  expect(words(3, { costUsd: 0, pricedTurns: 3 })).toBe('This session has used 45,210 tokens so far, for $0.00.');
  expect(words(3, {})).toBe('This session has used 45,210 tokens so far. What they cost is not known.');
  expect(words(0, { promptTokens: 0, completionTokens: 0 })).toBeNull();
});
