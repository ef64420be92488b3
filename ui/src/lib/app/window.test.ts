import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Backend } from '$lib/backend/backend';
import { FOXES, session, settings } from '$lib/backend/replay/fixtures';
import { answered, record } from '$lib/backend/replay/scripts';
import type { AppState } from '$lib/generated/AppState';
import type { Envelope } from '$lib/generated/Envelope';
import type { Query } from '$lib/generated/Query';
import type { Update } from '$lib/generated/Update';
import { turnsOfSession } from '$lib/model/app';
import { OrionWindow } from './window.svelte';

let frames: (() => void)[] = [];

beforeEach(() => {
  frames = [];
  vi.stubGlobal('document', { visibilityState: 'visible' });
  vi.stubGlobal('requestAnimationFrame', (frame: () => void) => frames.push(frame));
});
afterEach(() => vi.unstubAllGlobals());

const LONG = session('s-1', FOXES.projectId, 'Long', 0);
const journalOf = (requestId: string): Envelope[] => record(answered, requestId, LONG.sessionId, FOXES.projectId).envelopes();

/** The turn's end, with an answer that counts how often it is read. */
function watched(envelope: Envelope, read: () => void): Envelope {
  if (envelope.event.type !== 'completed') return envelope;
  const { report } = envelope.event;
  const { answer } = report;
  return { ...envelope, event: { type: 'completed', report: Object.defineProperty({ ...report }, 'answer', { get: () => (read(), answer) }) } };
}

test('what a batch costs does not grow with the turns of the chat: only those it tells of are looked at', async () => {
  let reads = 0;
  const ended = Array.from({ length: 40 }, (_, index) => `t-${index}`);
  const turns = ended.map((requestId) => ({ requestId, state: 'over', envelopes: journalOf(requestId).map((envelope) => watched(envelope, () => (reads += 1))), undone: [] }));
  const state: AppState = { version: '', projects: [FOXES], sessions: [LONG], older: [], settings: settings('connected'), running: [] };
  let tell: (updates: Update[]) => void = () => {};
  const asked: Query[] = [];
  const backend = {
    subscribe: (onUpdates: typeof tell) => ((tell = onUpdates), Promise.resolve(() => {})),
    query: (query: Query) => {
      asked.push(query);
      if (query.type === 'state') return Promise.resolve({ type: 'state', state });
      return Promise.resolve(query.type === 'session' ? { type: 'session', view: { session: LONG, turns } } : { type: 'events', envelopes: [] });
    },
  } as unknown as Backend;
  const orion = new OrionWindow(backend);
  await orion.open();
  const known = () => turnsOfSession(orion.model, LONG.sessionId).length;
  expect([known(), reads > 0]).toEqual([40, true]);
  reads = 0;
  const [lost, ...live] = journalOf('t-live').slice(1, 30);
  for (const envelope of live) {
    tell([{ type: 'event', envelope }]);
    frames.shift()?.();
  }
  expect([known(), reads]).toEqual([41, 0]);
  // The one that lacks something is asked about all the same.
  expect(lost?.seq).toBe(2);
  expect(asked.at(-1)).toMatchObject({ type: 'events', requestId: 't-live', afterSeq: 0 });
});
