import { expect, test } from 'vitest';
import { error } from '$lib/backend/replay/fixtures';
import type { Backend } from '$lib/backend/backend';
import type { Op } from '$lib/generated/Op';
import type { Outcome } from '$lib/generated/Outcome';
import { Removing } from './removing.svelte';

/** The outcomes of removals, and the sentences that a person is told of them. */
function removing(submit: (op: Op) => Promise<Outcome>) {
  const problems: unknown[] = [];
  const backend = { submit } as unknown as Backend;
  return { removing: new Removing({ backend, problem: (thrown) => problems.push(thrown) }), problems };
}

test('C2: what was removed is known by its turn, its call and its path', async () => {
  const ops: Op[] = [];
  const { removing: kept } = removing((op) => {
    ops.push(op);
    return Promise.resolve({ type: 'done' });
  });
  expect(await kept.of('turn', 'call').remove('.npmrc')).toBe(true);
  expect(ops).toEqual([{ type: 'remove_new', requestId: 'turn', toolCallId: 'call', path: '.npmrc' }]);
  expect([
    kept.of('turn', 'call').isRemoved('.npmrc'),
    kept.of('turn', 'call').isRemoved('.envrc'),
    kept.of('turn', 'other').isRemoved('.npmrc'),
    kept.of('other', 'call').isRemoved('.npmrc'),
  ]).toEqual([true, false, false, false]);
});

test('C2: a file that is gone already is removed, and any other error is told and leaves it', async () => {
  const changed = error('file_changed', 'It changed.', 'Look at it.');
  const { removing: kept, problems } = removing((op) =>
    Promise.reject(op.type === 'remove_new' && op.path === 'gone' ? error('path_not_found', 'No.', 'Look.') : changed),
  );
  const files = kept.of('turn', 'call');
  expect([await files.remove('gone'), await files.remove('changed')]).toEqual([true, false]);
  expect([files.isRemoved('gone'), files.isRemoved('changed')]).toEqual([true, false]);
  expect(problems).toEqual([changed]);
});
