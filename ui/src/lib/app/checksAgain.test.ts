import { expect, test } from 'vitest';
import type { CheckRun } from '$lib/generated/CheckRun';
import type { Checks } from './checks.svelte';
import { ChecksAgain } from './checksAgain.svelte';

const RAN: CheckRun = { name: 'cargo-test', status: 'passed', scriptSha256: '3'.repeat(64), excerpt: '' };

/** The checks of a project, of which these runs come, one list after the other. */
const checksWith = (...runs: (readonly CheckRun[] | null)[]) =>
  ({ load: () => Promise.resolve(), runThese: () => Promise.resolve(runs.shift() ?? null) }) as unknown as Checks;

test('checks that are not set any more have run nothing, which is no outcome; where they are set again they have one', async () => {
  const again = new ChecksAgain(checksWith([], [RAN]), 'p-1');
  await again.run(['cargo-test']);
  expect([again.shown, again.noneSet]).toEqual([null, true]);
  await again.run(['cargo-test']);
  expect([again.shown?.checks.map(({ run }) => run), again.noneSet]).toEqual([[RAN], false]);
});

test('checks that could not run are no checks that are not set', async () => {
  const again = new ChecksAgain(checksWith(null), 'p-1');
  await again.run(['cargo-test']);
  expect([again.shown, again.noneSet]).toEqual([null, false]);
});
