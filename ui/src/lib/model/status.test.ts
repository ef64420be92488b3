import { expect, test } from 'vitest';
import {
  answered,
  answering,
  asking,
  cutOff,
  exhausted,
  overloaded,
  record,
  refusedKey,
  repeating,
  runningTool,
  type Script,
  wanting,
} from '$lib/backend/replay/scripts';
import { noAnswer } from '$lib/backend/replay/meant';
import { EDIT_FOX, guide, NEW_GUIDE } from '$lib/backend/replay/drafts';
import { Recording } from '$lib/backend/replay/recording';
import {
  brokenOff,
  checking,
  correcting,
  ended,
  proposing,
  repeatingItself,
  writing,
} from '$lib/backend/replay/writeScripts';
import type { Envelope } from '$lib/generated/Envelope';
import { canContinue, hasNoAnswer, statusOf, wantsMore } from './status';
import { emptyTurn, foldEnvelope } from './turn';

const fold = (envelopes: Envelope[]) =>
  envelopes.reduce(foldEnvelope, emptyTurn({ requestId: 't', sessionId: 's', projectId: 'p' }));
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
  expect(shown(until(answered, 'phase_started'))).toEqual([
    'action',
    'Waiting for the model',
    '3 steps',
    '1 of 11 calls',
  ]);
  expect(shown(until(answered, 'reasoning_chunk'))).toEqual(['action', 'Thinking', '3 steps', '1 of 11 calls']);
  expect(shown(turnOf(runningTool))).toEqual(['tool', 'Searching files', 'step 1 of 3', '1 of 11 calls']);
  expect(shown(turnOf(asking))).toEqual(['waiting', 'Waiting for your approval', 'step 1 of 3', '1 of 11 calls']);
  expect(shown(turnOf(answering))).toEqual(['action', 'Answering', 'step 2 of 3', '3 of 11 calls']);
  expect(shown(turnOf(overloaded))).toEqual(['action', 'Waiting to try again, attempt 2', '3 steps', '1 of 11 calls']);
  expect(shown(turnOf(answered))).toEqual(['calm', 'Answered']);
  expect(shown(turnOf(exhausted))).toEqual(['calm', 'Answered']);
  expect(shown(turnOf(wanting))).toEqual(['waiting', 'Not finished']);
  expect([exhausted, wanting, answered].map((script) => statusOf(turnOf(script)).figure)).toEqual([
    'all 3 steps used',
    'all 3 steps used',
    '',
  ]);
  expect(shown(turnOf(cutOff))).toEqual(['problem', 'Failed']);
  expect(shown(turnOf(repeating))).toEqual(['problem', 'Cut off: the model kept repeating itself']);
});

test('only a turn without an end is running', () => {
  expect(
    [runningTool, answering, overloaded, answered, exhausted, cutOff, refusedKey].map(
      (script) => statusOf(turnOf(script)).running,
    ),
  ).toEqual([true, true, true, false, false, false, false]);
});

test('P3: a fresh budget is offered exactly where a budget ended the turn', () => {
  expect(
    [answered, exhausted, cutOff, refusedKey, answering, repeating].map((script) => canContinue(turnOf(script))),
  ).toEqual([false, true, false, false, false, true]);
});

test('X7: the model wants more where it asked for a tool in its last answer or was cut off', () => {
  expect([answered, exhausted, wanting, repeating, refusedKey].map((script) => wantsMore(turnOf(script)))).toEqual([
    false,
    false,
    true,
    true,
    false,
  ]);
});

test('P7: a turn without an answer says so, and what there was in its place; it can be tried again', () => {
  const turn = turnOf(noAnswer);
  const { tone, words, figure } = statusOf(turn);
  expect([tone, words, figure]).toEqual(['problem', 'No answer came', 'the model only reasoned']);
  expect([canContinue(turn), wantsMore(turn), hasNoAnswer(turn), hasNoAnswer(turnOf(answered))]).toEqual([
    true,
    true,
    true,
    false,
  ]);
  const silent: Script = (ids, text, startMs) =>
    new Recording(ids, text, startMs)
      .action()
      .think('Hm.')
      .end('empty', 'stop')
      .notice('asked_again', 'Asked once more: no answer came.')
      .action()
      .end('empty', 'stop')
      .notice('empty_answer', 'The model sent no text.')
      .completed('empty');
  expect(statusOf(turnOf(silent)).figure).toBe('');
});

test('A5: a turn whose process died says so and is not running', () => {
  const turn = { ...turnOf(answering), interrupted: true };
  expect(statusOf(turn)).toEqual({
    tone: 'problem',
    words: 'Interrupted',
    figure: '',
    sinceMs: null,
    untilMs: null,
    facts: [],
    running: false,
  });
});

test('W2: a write session has its words, and what grows is not part of what is announced', () => {
  const shown = (turn: ReturnType<typeof turnOf>) => {
    const { tone, words, figure } = statusOf(turn);
    return [tone, words, figure];
  };
  expect(shown(until(writing(NEW_GUIDE, guide(4)), 'write_started'))).toEqual(['write', 'Writing docs/guide.md', '']);
  expect(shown(turnOf(writing(NEW_GUIDE, guide(4))))).toEqual(['write', 'Writing docs/guide.md', '56 lines']);
  expect(shown(turnOf(checking))).toEqual(['write', 'Checking docs/guide.md', '']);
  expect(shown(turnOf(correcting))).toEqual(['write', 'Asking the model to correct 3 places', '']);
  expect(shown(turnOf(proposing(EDIT_FOX)))).toEqual(['waiting', 'Waiting for your approval', '']);
  expect(shown(until(ended(EDIT_FOX, []), 'answered'))).toEqual(['write', 'Saving src/fox.rs', '']);
  expect(shown(turnOf(ended(EDIT_FOX, [])))).toEqual(['calm', 'Answered', '']);
  expect(shown(turnOf(brokenOff))).toEqual(['problem', 'Interrupted', '']);
});

test('T4: prompts of a write session are counted by themselves and are no model calls', () => {
  expect(statusOf(turnOf(correcting)).facts).toEqual(['step 1 of 3', '1 of 11 calls']);
  const after = turnOf(ended(EDIT_FOX, []));
  expect([after.modelCalls, after.writePrompts]).toEqual([2, 1]);
  expect([after.end?.report.modelCalls, after.end?.report.writePrompts]).toEqual([2, 1]);
});

test('X4: while the conversation is summed up the status says so, and says no more once the answer is asked for', () => {
  const summing = new Recording({ requestId: 't', sessionId: 's', projectId: 'p' }, 'And now?', 0)
    .notice('summing_up', 'The conversation is summed up first, to make room.')
    .action();
  expect(statusOf(fold(summing.envelopes()))).toMatchObject({ tone: 'action', words: 'Summing up the conversation' });
  const asked = summing.end('answered', 'stop').action();
  expect(statusOf(fold(asked.envelopes())).words).toBe('Waiting for the model');
});

test('P11: a file that only repeats itself waits for the choice of the person', () => {
  expect(statusOf(turnOf(repeatingItself))).toMatchObject({
    tone: 'waiting',
    words: 'Waiting for your choice',
    running: true,
  });
});

test('A9: a message that the person gives to the turn parts no answer, and changes nothing of what the turn does', () => {
  const script: Script = (ids, text, startMs) =>
    new Recording(ids, text, startMs)
      .action()
      .say('One **and')
      .event({ type: 'steered', text: 'Three, please.' })
      .say(' two**.')
      .event({ type: 'pause_requested', afterTools: false, next: true })
      .say(' And so on.');
  const turn = record(script, 't-1', 's-1', 'p-1')
    .envelopes()
    .reduce(foldEnvelope, emptyTurn({ requestId: 't-1', sessionId: 's-1', projectId: 'p-1' }));
  expect(turn.items.map((item) => [item.kind, 'text' in item ? item.text : ''])).toEqual([
    ['text', 'One **and two**. And so on.'],
    ['steered', 'Three, please.'],
  ]);
  expect(statusOf(turn).words).toBe('Answering');

  const failing: Script = (ids, text, startMs) => overloaded(ids, text, startMs);
  const waits = record(failing, 't-1', 's-1', 'p-1').envelopes();
  const at = waits.findLastIndex(({ event }) => event.type === 'retrying');
  const before = waits
    .slice(0, at + 1)
    .reduce(foldEnvelope, emptyTurn({ requestId: 't-1', sessionId: 's-1', projectId: 'p-1' }));
  const steered = { ...(waits[at] as Envelope), seq: before.seq + 1, event: { type: 'steered', text: '?' } as const };
  expect(statusOf(foldEnvelope(before, steered)).words).toBe(statusOf(before).words);
  expect(statusOf(before).words).toMatch(/^Waiting to try again/);
});

test('a model that reads its prompt says how far it is, until anything else comes', () => {
  const envelopes = record(answered, 't', 's', 'p').envelopes();
  const begun = envelopes.findIndex(({ event }) => event.type === 'phase_started');
  const at = envelopes[begun] as Envelope;
  const reads = (
    event: Omit<Extract<Envelope['event'], { type: 'prompt_progress' }>, 'type' | 'elapsedMs'>,
    seq = at.seq,
  ) => ({
    ...at,
    seq,
    event: { type: 'prompt_progress' as const, elapsedMs: 2_000, ...event },
  });
  const waits = fold(envelopes.slice(0, begun + 1));
  const shown = (...more: Envelope[]) => {
    const { words, figure, sinceMs } = statusOf(more.reduce(foldEnvelope, waits));
    return [words, figure, sinceMs];
  };
  const llama = { total: 31_000, cached: 11_900, processed: 12_300, leftMs: 40_000 };
  expect(shown(reads(llama))).toEqual([
    'Reading',
    '12,300 of 31,000 tokens, 11,900 from the cache, about 40 s left',
    at.atMs,
  ]);
  expect(shown(reads(llama), reads({ ...llama, cached: 0, processed: 31_000, leftMs: null }))).toEqual([
    'Reading',
    '31,000 of 31,000 tokens',
    at.atMs,
  ]);
  const unknown = { total: null, cached: null, processed: null, leftMs: null };
  expect(shown(reads({ ...unknown, leftMs: 38_000 }))).toEqual(['Waiting for the model', 'about 40 s in all', at.atMs]);
  expect(shown(reads(unknown))).toEqual(['Waiting for the model', '', at.atMs]);
  // Of a call before.
  expect(shown(reads(llama, at.seq - 1))).toEqual(['Waiting for the model', '', at.atMs]);
  const next = envelopes.slice(begun + 1).find(({ event }) => event.type === 'reasoning_chunk') as Envelope;
  expect(shown(reads(llama), next)[0]).toBe('Thinking');
});
