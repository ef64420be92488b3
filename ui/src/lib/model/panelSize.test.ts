import fc from 'fast-check';
import { expect, test } from 'vitest';
import { leastShares, panelShare } from './panelSize';

test('in a window of 1280 pixels a difference leaves the chat as much as its buttons need', () => {
  const room = 1280 - 248;
  expect(Math.round((panelShare('diff', room) / 100) * room)).toBe(557);
  expect(100 - panelShare('diff', room)).toBeGreaterThan(leastShares(room).chat);
  expect(Math.round((panelShare('trace', room) / 100) * room)).toBe(433);
  expect(Math.round((panelShare('list', room) / 100) * room)).toBe(320);
});

test('whatever room there is, the shares are percentages and the least of both fit', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 10_000 }),
      fc.constantFrom('diff', 'trace', 'list' as const),
      (room, holds) => {
        const { chat, panel } = leastShares(room);
        expect(chat + panel).toBeLessThanOrEqual(100);
        expect(panelShare(holds as 'diff', room)).toBeGreaterThanOrEqual(0);
        expect(panelShare(holds as 'diff', room)).toBeLessThanOrEqual(100);
      },
    ),
  );
});
