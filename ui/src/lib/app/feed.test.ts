import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Backend } from '$lib/backend/backend';
import { answered, record } from '$lib/backend/replay/scripts';
import type { Envelope } from '$lib/generated/Envelope';
import type { Query } from '$lib/generated/Query';
import type { Update } from '$lib/generated/Update';
import { emptyTurn, foldEnvelope } from '$lib/model/turn';
import { FrameQueue, Refill } from './feed';

let frames: (() => void)[] = [];

beforeEach(() => {
  frames = [];
  vi.stubGlobal('document', { visibilityState: 'visible' });
  vi.stubGlobal('requestAnimationFrame', (frame: () => void) => frames.push(frame));
});
afterEach(() => vi.unstubAllGlobals());

const lagged: Update = { type: 'lagged' };

test('whatever arrives within a frame is delivered once, in order', () => {
  const delivered: Update[][] = [];
  const queue = new FrameQueue((updates) => delivered.push(updates));
  const problem: Update = { type: 'session_deleted', sessionId: 's' };
  queue.push([lagged]);
  queue.push([problem, lagged]);
  expect([frames.length, delivered]).toEqual([1, []]);
  frames.shift()?.();
  queue.push([problem]);
  frames.shift()?.();
  expect(delivered).toEqual([[lagged, problem, lagged], [problem]]);
});

test('a hidden window has no frames and takes its updates by a timer', () => {
  vi.useFakeTimers();
  vi.stubGlobal('document', { visibilityState: 'hidden' });
  const delivered: Update[][] = [];
  new FrameQueue((updates) => delivered.push(updates)).push([lagged]);
  expect(frames).toEqual([]);
  vi.runAllTimers();
  vi.useRealTimers();
  expect(delivered).toEqual([[lagged]]);
});

test('T6: a gap is asked about once, and again only when the turn has changed', async () => {
  const journal = record(answered, 't', 's', 'p').envelopes();
  const asked: Query[] = [];
  const delivered: Envelope[][] = [];
  const backend = {
    query: (query: Query) => {
      asked.push(query);
      return Promise.resolve({ type: 'events', envelopes: [] });
    },
  } as unknown as Backend;
  const refill = new Refill(
    backend,
    (envelopes) => delivered.push(envelopes),
    () => expect.unreachable(),
  );
  const before = journal
    .slice(0, 2)
    .reduce(foldEnvelope, emptyTurn({ requestId: 't', sessionId: 's', projectId: 'p' }));
  await refill.look(before);
  const durable = journal.filter(({ event }) => !event.type.endsWith('_chunk'));
  const gapped = foldEnvelope(before, durable[3] as Envelope);
  await refill.look(gapped);
  await refill.look(gapped);
  expect(asked).toEqual([{ type: 'events', requestId: 't', afterSeq: 2 }]);
  expect(delivered).toEqual([[]]);
  await refill.look(foldEnvelope(foldEnvelope(gapped, durable[2] as Envelope), durable[5] as Envelope));
  expect(asked.length).toBe(2);
});
