import { expect, test } from 'vitest';
import type { TraceSpan } from '$lib/generated/TraceSpan';
import { FOXES } from '$lib/backend/replay/fixtures';
import { record } from '$lib/backend/replay/scripts';
import { traced } from '$lib/backend/replay/traced';
import { factsFor, jsonOf, MOST_SHOWN, shown, tokenFacts } from './inspect';
import { filtered, type Filter, listRow, NO_FILTER } from './list';
import { partsOf } from './parts';
import { Timeline } from './timeline';

const timeline = new Timeline('t-1');
for (const { update } of record(traced, 't-1', 's-1', FOXES.projectId, 'Question', 1_000_000).beats)
  if (update.type === 'span') timeline.take(update.span);

const factsOf = (spanId: number) => {
  const span = timeline.spans.get(spanId);
  if (!span) throw new Error(`There is no span ${spanId}.`);
  return Object.fromEntries(factsFor(timeline, span, timeline.entryOf(spanId), 0));
};

test('J2: a span is told in words, each time with its reason', () => {
  expect(factsOf(timeline.calls[1]?.span.spanId ?? 0)).toEqual({
    In: 'Step 2',
    Began: '755 ms after the message',
    Took: '4.2 s',
    Outcome: 'done',
    'Failed try': '310 ms',
    'Before the next try': '2 s',
    'To the first word': '1.9 s',
    Answering: '12 ms',
    'Tokens sent': '2,040',
    'Tokens back': '96',
    'The provider ended it with': 'tool_calls',
  });
  expect(factsOf(timeline.waits[0]?.span.spanId ?? 0)).toMatchObject({ Took: '4 min', 'Your answer': 'allowed' });
  expect(factsOf(timeline.marks[0]?.span.spanId ?? 0)).toMatchObject({
    Code: 'overloaded',
    'Tried again after': '2 s',
  });
  expect(factsOf(timeline.rows[3]?.span.spanId ?? 0)).toMatchObject({
    Repeat: '1 of 3 before the turn ends',
    'The same as call': 'call-2',
  });
});

test('P9: a call says how the model made it, and that it stood in its text; what comes from a file may be anything', () => {
  const span = timeline.rows[0]?.span;
  if (!span) throw new Error('There is no call.');
  const told = (made: unknown, leaked: unknown) =>
    Object.fromEntries(factsFor(timeline, { ...span, attributes: { ...span.attributes, made, leaked } }, null, 0));
  expect(told({ name: 'readFile', arguments: '{"file_path":"src/config.rs"}' }, true)).toMatchObject({
    'The model wrote': 'readFile {"file_path":"src/config.rs"}',
    'Written as text': 'the model put the call into its text',
  });
  expect(told({ name: 'ls\u202e' }, 1)).toMatchObject({ 'The model wrote': 'ls⟨U+202E⟩ ' });
  for (const odd of [null, 'ls', { name: 1 }, undefined]) {
    expect(told(odd, null)).not.toHaveProperty('The model wrote');
    expect(told(odd, null)).not.toHaveProperty('Written as text');
  }
});

test('a call and a turn say what they cost, where the price is known', () => {
  const call = timeline.calls[1]?.span;
  if (!call) throw new Error('There is no second call.');
  const told = (costUsd: number | null) =>
    Object.fromEntries(factsFor(timeline, { ...call, attributes: { ...call.attributes, costUsd } }, null, 0));
  expect(told(0.0042)).toMatchObject({ Cost: '$0.0042' });
  expect(told(null)).not.toHaveProperty('Cost');
});

test('X2: a call says how many tokens were fresh and how many the provider had cached', () => {
  const usage = {
    promptTokens: 2_040,
    cachedTokens: 1_800,
    completionTokens: 96,
    reasoningTokens: 12,
    estimated: false,
  };
  expect(tokenFacts(usage)).toEqual([
    ['Tokens sent', '2,040, 240 of them fresh and 1,800 cached'],
    ['Tokens back', '96, 12 of them reasoning'],
  ]);
  expect(tokenFacts({ ...usage, cachedTokens: null, reasoningTokens: null, estimated: true })).toEqual([
    ['Tokens sent', 'about 2,040'],
    ['Tokens back', 'about 96'],
  ]);
  expect(tokenFacts(null)).toEqual([]);
});

test('the list is searched and filtered', () => {
  const found = (filter: Partial<Filter>) =>
    filtered(timeline, { ...NO_FILTER, ...filter })
      .map((span) => listRow(timeline, span, 0))
      .map(({ name, detail }) => `${name} ${detail}`.trim());
  expect(filtered(timeline, NO_FILTER)).toHaveLength(timeline.spans.size);
  expect(found({ problems: true })).toEqual(['Error retrying', 'read_file src/config.rs']);
  expect(found({ tool: 'search_files' })).toEqual(['search_files Config::load']);
  expect(found({ text: 'CONFIG.rs step', kind: 'tool_call' })).toEqual(['read_file src/config.rs']);
  expect(found({ kind: 'model_call', phase: 'tool_phase' })).toEqual([]);
  expect(found({ status: 'stopped', kind: 'turn' })).toEqual(['Turn']);
});

test('a span that says its own parts is drawn by them; those of a try that failed are told apart', () => {
  const part = (kind: string, startMs: number, endMs: number | null, attempt: number) => ({
    kind,
    startMs,
    endMs,
    attempt,
    bytes: 0,
  });
  const call = timeline.calls[0];
  if (!call) throw new Error('There is no call.');
  const parts = [
    part('connecting', 0, 100, 1),
    part('backoff', 100, 600, 2),
    part('connecting', 600, 700, 2),
    part('first_token', 700, 900, 2),
    part('reasoning', 900, 1_200, 2),
    part('text', 1_200, 1_500, 2),
    part('arguments', 1_500, null, 2),
  ];
  const span = { ...call.span, startMs: 0, endMs: null, parts } as TraceSpan;
  expect(partsOf({ ...call, span }, 2_000).map(({ sort, fromMs, toMs }) => `${sort} ${fromMs}-${toMs}`)).toEqual([
    'failed 0-100',
    'retry 100-600',
    'connecting 600-700',
    'first 700-900',
    'thinking 900-1200',
    'text 1200-1500',
    'asks 1500-2000',
  ]);
});

test('J3: a text of any size and JSON of any depth are cut or named, never a fault', () => {
  let deep: unknown = 'x';
  for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
  expect(jsonOf(deep)).toBe('"This is nested too deeply to be shown."');
  expect(shown('a'.repeat(10_000_000))).toEqual({ text: 'a'.repeat(MOST_SHOWN), rest: 9_900_000 });
});
