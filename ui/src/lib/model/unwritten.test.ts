import { expect, test } from 'vitest';
import type { WriteStatus } from '$lib/generated/WriteStatus';
import { unwritten } from './unwritten';

test('W2: a turn wrote nothing where a write failed or was not finished and none is on the disk; where all were rejected, the person wanted none', () => {
  const of = (...statuses: (WriteStatus | null)[]) => unwritten(statuses.map((status) => ({ status })));
  expect([of('failed'), of('discarded'), of('rejected', 'failed'), of('failed', null)]).toEqual(
    Array(4).fill('not_written'),
  );
  expect([of('rejected'), of('rejected', 'rejected')]).toEqual(['rejected', 'rejected']);
  expect([of(), of('written'), of('failed', 'written'), of('unknown', 'discarded'), of(null)]).toEqual(
    Array(5).fill(null),
  );
});
