import { expect, test } from 'vitest';
import { words } from '$lib/words';
import { originName, phaseAfter } from './forking';
import { emptyTurn } from './turn';

const ids = { requestId: 't', sessionId: 's', projectId: 'p' };
const step = (seq: number, cycle: number) => ({ kind: 'tool_phase' as const, seq, cycle });

test('a fork from a step goes on with the call that was given its results, after the prompts of its write session', () => {
  // action 2, step 1 at 4, action 7, step 2 at 9, two prompts at 12 and 14, action 16, step 3 at 18
  const turn = {
    ...emptyTurn(ids),
    phaseSeqs: [2, 4, 7, 9, 12, 14, 16, 18],
    promptSeqs: [12, 14],
    items: [step(4, 1), step(9, 2), step(18, 3)],
  };
  expect([4, 9].map((seq) => phaseAfter(turn, seq))).toEqual([3, 7]);
  // The last step was not followed by anything: its call runs again.
  expect(phaseAfter(turn, 18)).toBe(8);
});

test('a fork says where it comes from, also when that is no longer there', () => {
  expect(words.message.forkedFrom(1)(originName({ title: 'Config loader' }))).toBe('Forked from Config loader, step 1');
  expect(words.message.forkedFrom(0)(originName({ title: 'Config loader' }))).toBe(
    'Forked from Config loader, from its message',
  );
  expect(originName({ title: null })).toBe('a session that is not here');
});
