import fc from 'fast-check';
import { expect, test } from 'vitest';
import { leastShares, panelShare } from './panelSize';

test('in a window of 1280 pixels it leaves the chat as much as its buttons need', () => {
  const room = 1280 - 248;
  expect(Math.round((panelShare(room) / 100) * room)).toBe(433);
  expect(100 - panelShare(room)).toBeGreaterThan(leastShares(room).chat);
});

test('whatever room there is, the shares are percentages and the least of both fit', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10_000 }), (room) => {
      const { chat, panel } = leastShares(room);
      expect(chat + panel).toBeLessThanOrEqual(100);
      expect(panelShare(room)).toBeGreaterThanOrEqual(0);
      expect(panelShare(room)).toBeLessThanOrEqual(100);
    }),
  );
});
