import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { collectSoon } from './collecting';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('memory is asked for three times after a session was left, not while the page is busy, and once for several', async () => {
  let busy = true;
  const ask = vi.fn();
  collectSoon(() => busy, ask);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(ask).toHaveBeenCalledTimes(0);
  busy = false;
  await vi.advanceTimersByTimeAsync(1_500);
  expect(ask).toHaveBeenCalledTimes(1);
  collectSoon(() => busy, ask);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(ask).toHaveBeenCalledTimes(4);
});
