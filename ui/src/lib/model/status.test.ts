import { expect, test } from 'vitest';
import { answered, answering, asking, cutOff, exhausted, overloaded, record, refusedKey, runningTool, type Script } from '$lib/backend/replay/scripts';
import type { Envelope } from '$lib/generated/Envelope';
import { canContinue, statusOf } from './status';
import { emptyTurn, foldEnvelope } from './turn';

const fold = (envelopes: Envelope[]) => envelopes.reduce(foldEnvelope, emptyTurn({ requestId: 't', sessionId: 's', projectId: 'p' }));
const turnOf = (script: Script) => fold(record(script, 't', 's', 'p').envelopes());
const until = (script: Script, type: string) => {
  const envelopes = record(script, 't', 's', 'p').envelopes();
  return fold(envelopes.slice(0, envelopes.findIndex(({ event }) => event.type === type) + 1));
};

test('each state has its words, its colour and the budget that is used', () => {
  const shown = (turn: ReturnType<typeof turnOf>) => {
    const { tone, words, facts } = statusOf(turn);
    return [tone, words, ...facts];
  };
  expect(shown(until(answered, 'phase_started'))).toEqual(['action', 'Waiting for the model', 'cycle 0 of 3', '1 of 6 calls']);
  expect(shown(until(answered, 'reasoning_chunk'))).toEqual(['action', 'Thinking', 'cycle 0 of 3', '1 of 6 calls']);
  expect(shown(turnOf(runningTool))).toEqual(['tool', 'Running search_files', 'cycle 1 of 3', '1 of 6 calls']);
  expect(shown(turnOf(asking))).toEqual(['waiting', 'Waiting for your approval', 'cycle 1 of 3', '1 of 6 calls']);
  expect(shown(turnOf(answering))).toEqual(['action', 'Answering', 'cycle 2 of 3', '3 of 6 calls']);
  expect(shown(turnOf(overloaded))).toEqual(['waiting', 'Trying again in 2 s, attempt 2', 'cycle 0 of 3', '1 of 6 calls']);
  expect(shown(turnOf(answered))).toEqual(['calm', 'Answered']);
  expect(shown(turnOf(exhausted))).toEqual(['waiting', 'Budget used: 3 of 3 cycles']);
  expect(shown(turnOf(cutOff))).toEqual(['problem', 'Failed']);
});

test('only a turn without an end is running', () => {
  expect([runningTool, answering, overloaded, answered, exhausted, cutOff, refusedKey].map((script) => statusOf(turnOf(script)).running)).toEqual(
    [true, true, true, false, false, false, false],
  );
});

test('P3: a fresh budget is offered exactly where a budget ended the turn', () => {
  expect([answered, exhausted, cutOff, refusedKey, answering].map((script) => canContinue(turnOf(script)))).toEqual([false, true, false, false, false]);
});

test('A5: a turn whose process died says so and is not running', () => {
  const turn = { ...turnOf(answering), interrupted: true };
  expect(statusOf(turn)).toEqual({ tone: 'problem', words: 'Interrupted', sinceMs: null, facts: [], running: false });
});
