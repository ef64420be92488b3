import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TraceKind } from '$lib/generated/TraceKind';
import type { TraceSpan } from '$lib/generated/TraceSpan';
import { FOXES } from '$lib/backend/replay/fixtures';
import { record } from '$lib/backend/replay/scripts';
import { traced, tracedLong, tracedWaiting } from '$lib/backend/replay/traced';
import { axisOf } from './axis';
import { bandsOf, columnsOf, marksOf } from './header';
import { partsOf } from './parts';
import { shapesOf, type Pixels } from './shapes';
import { longestOf, spentOf, toldOf } from './spent';
import { stepWords, Timeline } from './timeline';
import { sentence } from './words';

type Script = Parameters<typeof record>[0];

const spansOf = (script: Script): TraceSpan[] =>
  record(script, 't-1', 's-1', FOXES.projectId, 'Question', 1_000_000).beats.flatMap(({ update }) =>
    update.type === 'span' ? [update.span] : [],
  );

function timelineOf(spans: readonly TraceSpan[]): Timeline {
  const timeline = new Timeline('t-1');
  for (const span of spans) timeline.take(span);
  return timeline;
}

const TRACED = timelineOf(spansOf(traced));

test('a turn is columns of model calls with what they led to, and a row for each tool call and each write', () => {
  expect(TRACED.steps.map((step) => stepWords(TRACED, step))).toEqual([
    'Step 1',
    'Step 2',
    'Step 3',
    'Repeat',
    'Step 4',
    'Write',
    'Answer',
  ]);
  expect(TRACED.rows.map(({ sort, span, row }) => [row, sort, span.name])).toEqual([
    [0, 'tool', 'list_files'],
    [1, 'tool', 'read_file'],
    [2, 'tool', 'search_files'],
    [3, 'refused', 'read_file'],
    [4, 'tool', 'write_plan_begin'],
    [5, 'write', 'src/fox.rs'],
  ]);
  expect(TRACED.marks.map(({ sort }) => sort)).toEqual(['retry', 'refused', 'stop']);
  expect(TRACED.calls.map(({ call, lane }) => [call, lane])).toEqual([
    [1, 'answering'],
    [2, 'answering'],
    [3, 'answering'],
    [4, 'answering'],
    [5, 'answering'],
    [6, 'write'],
    [7, 'answering'],
  ]);
  expect(TRACED.waits).toHaveLength(1);
  expect(TRACED.running).toBe(false);
});

test('a turn that is read after its end has the marks of one that was followed, in the order of time', () => {
  const ends = new Map(spansOf(traced).map((span) => [span.spanId, span]));
  const read = timelineOf([...ends.values()].toSorted((a, b) => a.spanId - b.spanId));
  expect(read.marks.map(({ sort, atMs }) => [sort, atMs])).toEqual(TRACED.marks.map(({ sort, atMs }) => [sort, atMs]));
  const axis = axisOf(read, 'step', read.lastMs, 400);
  const pixels: Pixels = { axis, view: { from: 0, to: axis.total }, width: 400 };
  expect(marksOf(read, pixels).map(({ mark }) => mark.sort)).toEqual(['retry', 'refused', 'stop']);
});

test('a name over a column covers no other, however narrow the columns are', () => {
  for (const scale of ['step', 'time'] as const) {
    const axis = axisOf(TRACED, scale, TRACED.lastMs, 400);
    for (let width = 60; width <= 1_200; width += 7) {
      const named = columnsOf(TRACED, { axis, view: { from: 0, to: axis.total }, width }, TRACED.lastMs).filter(
        ({ name }) => name !== '',
      );
      if (width >= 400) expect(named.some(({ name }) => name.endsWith('2'))).toBe(true);
      named.forEach(({ name, x }, at) =>
        expect(x + name.length * 7, `${scale} ${width} ${name}`).toBeLessThanOrEqual(named[at + 1]?.x ?? width),
      );
    }
  }
});

test('a model call is its tries, the pauses between them, the time to its first word, and what came then', () => {
  const call = TRACED.calls[1];
  if (!call) throw new Error('There is no second call.');
  const parts = partsOf(call, 0).map(({ sort, fromMs, toMs }) => [sort, toMs - fromMs]);
  expect(parts).toEqual([
    ['failed', 310],
    ['retry', 2_000],
    ['first', 1_912],
    ['text', 12],
  ]);
  const write = TRACED.rows[5];
  expect(write && partsOf(write, 0).map(({ sort }) => sort)).toEqual(['content', 'asking', 'content']);
});

test('it is said where the time went, without what a person was waited for, and what took longest and why', () => {
  const told = toldOf(spentOf(TRACED, 0));
  expect(told.words).toBe('9.1 s of work, 4 min waiting for you');
  expect(told.told.map(({ on }) => on)).toEqual(['first', 'answering', 'retry', 'tool']);
  expect(longestOf(TRACED, 0)?.words).toBe(
    'Longest: the model call of step 2, 4.2 s, 2.3 s of it trying again after an error',
  );
  const long = timelineOf(spansOf(tracedLong(25)));
  expect(longestOf(long, 0)?.words).toBe('Longest: the model call of step 13, 9.4 s, all of it before the first word');
  const refused = TRACED.rows[3];
  expect(refused && sentence(TRACED, refused, 0)).toBe('read_file src/config.rs · Repeat · a repeat, not run again');
  const read = TRACED.rows[1];
  expect(read && sentence(TRACED, read, 0)).toBe('read_file src/config.rs · Step 2 · 4 ms · 32 lines');
});

test('by step each column is as wide as the others, and by time a wait takes little room', () => {
  const byStep = axisOf(TRACED, 'step', 0, 400);
  expect(byStep.total).toBe(7);
  expect(TRACED.steps.map(({ startMs }) => byStep.at(startMs))).toEqual([
    byStep.at(TRACED.steps[0]?.startMs ?? 0),
    1,
    2,
    3,
    4,
    5,
    6,
  ]);
  const byTime = axisOf(TRACED, 'time', 0, 400);
  const wait = TRACED.waits[0]?.span;
  const [from, to] = [byTime.at(wait?.startMs ?? 0), byTime.at(wait?.endMs ?? 0)];
  expect(((to - from) / byTime.total) * 400).toBeCloseTo(56, 0);
  expect(byTime.workAt(to)).toBe(byTime.workAt(from));
});

test('while it runs, what waits has no end, and grows', () => {
  const waiting = timelineOf(spansOf(tracedWaiting));
  expect(waiting.running).toBe(true);
  const spent = (nowMs: number) => spentOf(waiting, nowMs).find(({ on }) => on === 'waiting')?.ms ?? 0;
  expect(spent(waiting.lastMs + 7_000) - spent(waiting.lastMs + 2_000)).toBe(5_000);
});

test('J2: an older word of a span that has ended changes nothing, and spans of another turn are not taken', () => {
  const spans = spansOf(traced);
  const timeline = timelineOf([
    ...spans,
    ...spans.filter(({ endMs }) => endMs === null),
    { ...(spans[0] as TraceSpan), requestId: 't-2', spanId: 999 },
  ]);
  expect([...timeline.spans.values()].filter(({ endMs }) => endMs === null)).toEqual([]);
  expect(timeline.spans.has(999)).toBe(false);
  expect(timeline.entries).toHaveLength(TRACED.entries.length);
});

const KINDS: TraceKind[] = [
  'turn',
  'orchestration_phase',
  'model_call',
  'tool_registration',
  'tool_call',
  'tool_result',
  'duplicate_tool_call',
  'approval',
  'pause',
  'question',
  'steer',
  'write_session',
  'compaction',
  'error',
];
const number = fc.oneof(fc.integer({ min: -50, max: 50_000 }), fc.constantFrom(NaN, Infinity, -Infinity, 1e300));
const hostile: fc.Arbitrary<TraceSpan> = fc.record({
  requestId: fc.constant('t-1'),
  sessionId: fc.constant('s'),
  projectId: fc.constant('p'),
  spanId: fc.integer({ min: 1, max: 30 }),
  parentId: fc.option(fc.integer({ min: -1, max: 30 })),
  kind: fc.constantFrom(...KINDS),
  name: fc.string(),
  startMs: number,
  endMs: fc.option(number),
  phase: fc.constantFrom('action_phase', 'tool_phase', 'complete'),
  toolBatchId: fc.option(fc.integer()),
  status: fc.constantFrom('running', 'ok', 'refused', 'failed', 'stopped'),
  attributes: fc.oneof(
    fc.constant(null as never),
    fc.dictionary(
      fc.constantFrom('toolCallId', 'path', 'write', 'cycle', 'arguments', 'firstChunkMs', 'delayMs', 'status'),
      fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.constantFrom(NaN, 1e300)),
    ),
  ),
});

test('whatever spans come, both scales go from 0 to their end and never back, and a place leads to its moment', () => {
  fc.assert(
    fc.property(fc.array(hostile, { maxLength: 40 }), (spans) => {
      const timeline = timelineOf(spans);
      const nowMs = timeline.lastMs + 10;
      for (const scale of ['step', 'time'] as const) {
        const axis = axisOf(timeline, scale, nowMs, 300);
        expect(Number.isFinite(axis.total) && axis.total > 0).toBe(true);
        const moments = [...timeline.spans.values()]
          .flatMap(({ startMs, endMs }) => [startMs, endMs ?? nowMs])
          .sort((a, b) => a - b);
        const places = moments.map((ms) => axis.at(ms));
        places.forEach((place, at) => {
          expect(place).toBeGreaterThanOrEqual(places[at - 1] ?? 0);
          expect(place).toBeLessThanOrEqual(axis.total);
          expect(axis.at(axis.momentAt(place))).toBeCloseTo(place, 3);
        });
        const pixels: Pixels = { axis, view: { from: 0, to: axis.total }, width: 300 };
        for (const entry of timeline.entries) sentence(timeline, entry, nowMs);
        for (const { x, width } of [
          ...shapesOf(timeline.calls, pixels, nowMs),
          ...columnsOf(timeline, pixels, nowMs),
          ...bandsOf(timeline, pixels, nowMs),
        ])
          expect(Number.isFinite(x) && width >= 0).toBe(true);
        for (const { x } of marksOf(timeline, pixels)) expect(Number.isFinite(x)).toBe(true);
      }
      expect(spentOf(timeline, nowMs).every(({ ms }) => ms > 0)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

/** `steps` model calls with a tool each: 5 spans a step. */
function many(steps: number): TraceSpan[] {
  const base = { requestId: 't-1', sessionId: 's', projectId: 'p', status: 'ok' as const, attributes: {} };
  const spans: TraceSpan[] = [
    {
      ...base,
      spanId: 1,
      parentId: null,
      kind: 'turn',
      name: 'turn',
      startMs: 0,
      endMs: steps * 100,
      phase: 'action_phase',
      toolBatchId: null,
    },
  ];
  const add = (
    kind: TraceKind,
    name: string,
    startMs: number,
    endMs: number,
    phase: 'action_phase' | 'tool_phase',
    attributes: Record<string, unknown>,
  ) =>
    spans.push({
      ...base,
      spanId: spans.length + 1,
      parentId: 1,
      kind,
      name,
      startMs,
      endMs,
      phase,
      toolBatchId: null,
      attributes,
    });
  for (let step = 0; step < steps; step += 1) {
    const at = step * 100;
    add('orchestration_phase', 'action', at, at + 60, 'action_phase', { cycle: step });
    add('model_call', 'model call', at, at + 60, 'action_phase', { call: step + 1, firstChunkMs: 40 });
    add('orchestration_phase', 'tool', at + 60, at + 100, 'tool_phase', { cycle: step + 1 });
    add('tool_call', 'read_file', at + 60, at + 99, 'tool_phase', {
      toolCallId: `c-${step}`,
      arguments: '{"path":"a"}',
    });
    add('tool_result', '1 line', at + 99, at + 99, 'tool_phase', { toolCallId: `c-${step}`, summary: '1 line' });
  }
  return spans;
}

test('of 100,000 spans at most one shape is made for a pixel', () => {
  const timeline = timelineOf(many(20_000));
  expect(timeline.spans.size).toBe(100_001);
  for (const scale of ['step', 'time'] as const) {
    const axis = axisOf(timeline, scale, 0, 300);
    const pixels: Pixels = { axis, view: { from: 0, to: axis.total }, width: 300 };
    const shapes = shapesOf(timeline.calls, pixels, 0);
    expect(shapes.length).toBeLessThanOrEqual(301);
    expect(shapes.reduce((sum, { merged }) => sum + merged, 0)).toBe(20_000);
    expect(columnsOf(timeline, pixels, 0)).toEqual([]);
    expect(bandsOf(timeline, pixels, 0)).toEqual([]);
    const close: Pixels = { ...pixels, view: { from: axis.total / 2, to: axis.total / 2 + axis.total / 10_000 } };
    expect(shapesOf(timeline.calls, close, 0).length).toBeLessThanOrEqual(4);
    expect(columnsOf(timeline, close, 0).length).toBeLessThanOrEqual(4);
  }
});
