import { expect, test } from 'vitest';
import type { Replay } from '$lib/generated/Replay';
import { laterVersion, outcome } from './replayWords';

const same: Replay = { requestId: 't', events: 12, unknownFlags: [], difference: null };
const differs: Replay['difference'] = {
  number: 6,
  seq: 5,
  phase: 'tool_phase',
  toolBatchId: 1,
  event: 'tool_result',
  field: 'event.summary',
  recorded: '"1 line"',
  replayed: '"Nothing"',
};

test('a turn that replays the same is said in one line', () => {
  expect(outcome(same)).toBe('All 12 events are the same as when the turn ran.');
  expect(outcome({ ...same, events: 1 })).toBe('The event is the same as when the turn ran.');
  expect(laterVersion(same)).toBeNull();
});

test('the first event that differs is named, with its place', () => {
  expect(outcome({ ...same, difference: differs })).toBe(
    'Event 6 of 12 is not what was recorded: tool_result, in step 1.',
  );
  expect(
    outcome({
      ...same,
      difference: {
        ...differs,
        phase: 'complete',
        toolBatchId: null,
        event: 'completed',
        field: null,
        recorded: '{}',
        replayed: null,
      },
    }),
  ).toBe('Event 6 of 12 is not what was recorded: completed, in the end.');
  expect(outcome({ ...same, difference: { ...differs, number: 13, field: null, recorded: null } })).toBe(
    'After the 12 recorded events there is now another one: tool_result, in step 1.',
  );
});

test('a turn by rules of a later version is said as such', () => {
  expect(laterVersion({ ...same, unknownFlags: [7, 9] })).toBe(
    'A later Orion recorded this turn, by rules that this one does not know (7, 9).',
  );
});
