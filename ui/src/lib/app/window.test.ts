import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Backend } from '$lib/backend/backend';
import { error, FOXES, session, settings } from '$lib/backend/replay/fixtures';
import { answered, asking, record } from '$lib/backend/replay/scripts';
import type { Aftermath } from '$lib/generated/Aftermath';
import type { AppState } from '$lib/generated/AppState';
import type { Envelope } from '$lib/generated/Envelope';
import type { Query } from '$lib/generated/Query';
import type { Rewind } from '$lib/generated/Rewind';
import type { TurnPage } from '$lib/generated/TurnPage';
import type { TurnView } from '$lib/generated/TurnView';
import type { Update } from '$lib/generated/Update';
import { foldAftermath, foldCompactionUndone } from '$lib/model/app';
import { OrionWindow } from './window.svelte';

let frames: (() => void)[] = [];

beforeEach(() => {
  frames = [];
  vi.stubGlobal('document', { visibilityState: 'visible' });
  vi.stubGlobal('requestAnimationFrame', (frame: () => void) => frames.push(frame));
});
afterEach(() => vi.unstubAllGlobals());

const LONG = session('s-1', FOXES.projectId, 'Long', 0);
const journalOf = (requestId: string): Envelope[] =>
  record(answered, requestId, LONG.sessionId, FOXES.projectId).envelopes();

/** The turn's end, with an answer that counts how often it is read. */
function watched(envelope: Envelope, read: () => void): Envelope {
  if (envelope.event.type !== 'completed') return envelope;
  const { report } = envelope.event;
  const { answer } = report;
  return {
    ...envelope,
    event: {
      type: 'completed',
      report: Object.defineProperty({ ...report }, 'answer', { get: () => (read(), answer) }),
    },
  };
}

/** A backend on a session of this many turns, all alike; it gives pages of it and remembers what it was asked. */
function longSession(turns: number, read: () => void = () => {}) {
  const ids = Array.from({ length: turns }, (_, index) => `t-${index}`);
  const viewOf = (requestId: string): TurnView => ({
    requestId,
    state: 'over',
    envelopes: journalOf(requestId).map((envelope) => watched(envelope, read)),
    undone: [],
    branches: [requestId],
    compactionUndone: false,
    forkedFrom: null,
  });
  const state: AppState = {
    version: '',
    projects: [FOXES],
    sessions: [{ ...LONG, turns }],
    apart: [],
    older: [],
    settings: settings('connected'),
    running: [],
  };
  const asked: Query[] = [];
  const world = {
    ids,
    asked,
    tell: (_: Update[]): void => {},
    extra: new Map<string, TurnView>(),
    aftermath: {} as Record<string, Aftermath>,
  };
  const page = (query: Extract<Query, { type: 'session' }>): TurnPage => {
    const { place } = query;
    const at = place.type === 'newest' ? ids.length : ids.indexOf(place.requestId);
    const [from, to] =
      place.type === 'after'
        ? [at + 1, Math.min(at + 1 + query.turns, ids.length)]
        : [Math.max(at - query.turns, 0), at];
    return {
      turns: ids.slice(from, to).map((id) => world.extra.get(id) ?? viewOf(id)),
      earlier: from > 0,
      later: to < ids.length,
      anew: false,
    };
  };
  const backend = {
    zoom: () => Promise.resolve(),
    subscribe: (onUpdates: typeof world.tell) => ((world.tell = onUpdates), Promise.resolve(() => {})),
    query: (query: Query) => {
      asked.push(query);
      if (query.type === 'state') return Promise.resolve({ type: 'state', state });
      if (query.type === 'last_rewind') return Promise.resolve({ type: 'last_rewind', rewind: null });
      if (query.type === 'aftermath') return Promise.resolve({ type: 'aftermath', turns: world.aftermath });
      return Promise.resolve(
        query.type === 'session' ? { type: 'session', page: page(query) } : { type: 'events', envelopes: [] },
      );
    },
  } as unknown as Backend;
  return { ...world, world, state, orion: new OrionWindow(backend) };
}

/** Lets answers that are on their way arrive. */
const settled = () => new Promise((resolve) => setTimeout(resolve));

test('what a batch costs does not grow with the turns of the chat: only those it tells of are looked at', async () => {
  let reads = 0;
  const { orion, world } = longSession(40, () => (reads += 1));
  await orion.open();
  expect([orion.turns.length, orion.chat.earlier, reads > 0]).toEqual([20, true, true]);
  reads = 0;
  const [begun, ...live] = journalOf('t-live').slice(0, 30);
  for (const envelope of [begun, ...live.slice(1)]) {
    world.tell([{ type: 'event', envelope: envelope as Envelope }]);
    frames.shift()?.();
  }
  expect([orion.turns.length, reads]).toEqual([21, 0]);
  // What it lacks is asked about, and nothing else.
  expect(world.asked.at(-1)).toMatchObject({ type: 'events', requestId: 't-live', afterSeq: 1 });
});

test('T6: a turn whose beginning was lost is asked about once, and then it is there', async () => {
  const { orion, world } = longSession(40);
  await orion.open();
  const journal = journalOf('t-live');
  world.ids.push('t-live');
  world.extra.set('t-live', {
    requestId: 't-live',
    state: 'running',
    envelopes: journal.slice(0, 4),
    undone: [],
    branches: [],
    compactionUndone: false,
    forkedFrom: null,
  });
  world.asked.length = 0;
  for (const envelope of journal.slice(1, 4)) {
    world.tell([{ type: 'event', envelope }]);
    frames.shift()?.();
  }
  await settled();
  expect(world.asked).toEqual([
    { type: 'session', sessionId: 's-1', place: { type: 'after', requestId: 't-39' }, turns: 20 },
  ]);
  expect(orion.latest).toMatchObject({ requestId: 't-live', seq: journal[3]?.seq });
});

test('T6: after updates were lost only what was missed is asked for: turns behind the last known one, and events behind the last seen', async () => {
  const { orion, world } = longSession(5_000);
  await orion.open();
  const journal = journalOf('t-live');
  world.tell([
    { type: 'event', envelope: journal[0] as Envelope },
    { type: 'event', envelope: journal[1] as Envelope },
  ]);
  frames.shift()?.();
  world.ids.push('t-live', 't-missed');
  world.asked.length = 0;
  world.tell([{ type: 'lagged' }]);
  frames.shift()?.();
  await settled();
  const { seq } = journal[1] as Envelope;
  expect(world.asked).toEqual([
    { type: 'state' },
    { type: 'queue', sessionId: 's-1' },
    { type: 'events', requestId: 't-live', afterSeq: seq },
    { type: 'session', sessionId: 's-1', place: { type: 'after', requestId: 't-live' }, turns: 20 },
    // Once the events are there: a write of the turn may have been undone since.
    { type: 'aftermath', requestIds: world.ids.slice(-22, -1) },
  ]);
  expect([orion.turns.at(-1)?.requestId, orion.turns.length]).toEqual(['t-missed', 22]);
});

test('T9, X4: what another process did to turns that were over is asked for, of those in memory', async () => {
  const { orion, world } = longSession(5);
  await orion.open();
  world.asked.length = 0;
  Object.assign(world.aftermath, {
    't-3': { undone: [], branches: ['t-3', 't-9'], compactionUndone: true },
    't-9': { undone: [1], branches: [], compactionUndone: true },
  });
  world.tell([{ type: 'lagged' }]);
  frames.shift()?.();
  await settled();
  expect(world.asked.filter(({ type }) => type === 'aftermath')).toEqual([
    { type: 'aftermath', requestIds: ['t-0', 't-1', 't-2', 't-3', 't-4'] },
  ]);
  expect(
    orion.turns.map(({ requestId, branches, compactionUndone }) => [requestId, branches.length, compactionUndone]),
  ).toEqual([
    ['t-0', 1, false],
    ['t-1', 1, false],
    ['t-2', 1, false],
    ['t-3', 2, true],
    ['t-4', 1, false],
  ]);
});

test('X4: what happened to turns that were over is asked for in parts that the core answers whole', async () => {
  const { orion, world } = longSession(450);
  orion.pages.inView = () => new Set(world.ids);
  await orion.open();
  while (orion.turns.length < 450) await orion.pages.earlier();
  await settled();
  world.asked.length = 0;
  world.tell([{ type: 'lagged' }]);
  frames.shift()?.();
  await settled();
  const parts = world.asked.flatMap((query) => (query.type === 'aftermath' ? [query.requestIds] : []));
  expect(parts.map((part) => part.length)).toEqual([200, 200, 50]);
  expect(parts.flat()).toEqual(world.ids);
});

test('X4: an answer that was asked for before something was undone here does not bring it again', async () => {
  const { orion, world } = longSession(5);
  await orion.open();
  const of = (compactionUndone: boolean) => ({ 't-3': { undone: [], branches: ['t-3'], compactionUndone } });
  const asks = [
    () => {
      world.tell([{ type: 'lagged' }]);
      frames.shift()?.();
    },
    () => void orion.pages.newest(),
  ];
  for (const ask of asks) {
    orion.model = foldAftermath(orion.model, of(false));
    world.asked.length = 0;
    world.aftermath = of(false);
    ask();
    orion.model = foldCompactionUndone(orion.model, 't-3');
    world.aftermath = of(true);
    await settled();
    expect(orion.turns.map((turn) => turn.compactionUndone)).toEqual([false, false, false, true, false]);
    expect(world.asked.filter(({ type }) => type === 'aftermath').length).toBeLessThan(3);
  }
});

test('X4: what fills the context is asked for again once a compaction is undone, here or by another process, and only then', async () => {
  const { orion } = longSession(5);
  await orion.open();
  await settled();
  const keys = [orion.room.key];
  for (const requestId of ['t-3', 't-3', 't-2']) {
    orion.model = foldAftermath(orion.model, {
      [requestId]: { undone: [], branches: [requestId], compactionUndone: true },
    });
    keys.push(orion.room.key);
  }
  expect(keys.map((key) => keys.indexOf(key))).toEqual([0, 1, 1, 3]);
});

test('A10: a rewind that another process has undone is not offered to be undone any more', async () => {
  const { orion, world } = longSession(5);
  await orion.open();
  await settled();
  const rewind: Rewind = { requestId: 't-3', conversation: false, files: [], writes: [], undone: false };
  /** What is offered after updates were lost, and how often the core was asked. */
  const lag = async (): Promise<[Rewind | null, number]> => {
    world.asked.length = 0;
    world.tell([{ type: 'lagged' }]);
    frames.shift()?.();
    await settled();
    return [orion.rewinding.last, world.asked.filter(({ type }) => type === 'last_rewind').length];
  };
  expect(await lag()).toEqual([null, 0]);
  orion.rewinding.last = { ...rewind, undone: true };
  expect(await lag()).toEqual([{ ...rewind, undone: true }, 0]);
  orion.rewinding.last = rewind;
  expect(await lag()).toEqual([null, 1]);
  // What happens here while the core is asked is newer than its answer.
  orion.rewinding.last = rewind;
  const lagging = lag();
  orion.rewinding.last = { ...rewind, undone: true };
  expect(await lagging).toEqual([{ ...rewind, undone: true }, 1]);
});

test('more turns than a page holds that were missed are asked for page by page, and the newest is known', async () => {
  const { orion, world } = longSession(10);
  await orion.open();
  world.ids.push(...Array.from({ length: 45 }, (_, index) => `t-${10 + index}`));
  world.tell([{ type: 'lagged' }]);
  frames.shift()?.();
  await settled();
  expect([
    orion.latest?.requestId,
    orion.chat.later,
    world.asked.filter(({ type }) => type === 'session').length,
  ]).toEqual(['t-54', false, 4]);
});

test('a session that is scrolled through costs what is looked at: three pages at most are held, and what was let go comes again', async () => {
  const { orion, world } = longSession(5_000);
  await orion.open();
  orion.pages.inView = () => new Set([orion.turns[0]?.requestId ?? '']);
  for (let page = 0; page < 10; page += 1) await orion.pages.earlier();
  expect([orion.turns.length, orion.turns[0]?.requestId, orion.chat.later, orion.latest?.requestId]).toEqual([
    60,
    't-4780',
    true,
    't-4999',
  ]);
  orion.pages.inView = () => new Set([orion.turns.at(-1)?.requestId ?? '']);
  for (let page = 0; page < 8; page += 1) await orion.pages.later();
  expect([orion.turns.length, orion.turns.at(-1)?.requestId, orion.chat.later, orion.chat.apart]).toEqual([
    60,
    't-4999',
    false,
    [],
  ]);
  expect(orion.turns.map(({ requestId }) => requestId)).toEqual(world.ids.slice(-60));
});

test('a page that is late for a session that was left changes nothing', async () => {
  const { orion } = longSession(100);
  await orion.open();
  const { model } = orion;
  const late = orion.pages.earlier();
  orion.newChat(FOXES.projectId);
  await late;
  expect([orion.model.chats, orion.pages.loading]).toEqual([{}, null]);
  expect(Object.keys(model.chats)).toEqual(['s-1']);
});

test('a person is told where something of a deleted session is still on the disk, and why', async () => {
  const remains = error('storage', 'Part of what was deleted is still on the disk.', 'It goes later.');
  const replies = [remains, null];
  const backend = {
    submit: () => Promise.resolve({ type: 'deleted', remains: replies.shift() }),
  } as unknown as Backend;
  const orion = new OrionWindow(backend);
  await orion.lists.deleteSessions(['s-1']);
  await orion.lists.forgetProject('p-1');
  expect(orion.model.problems.map((problem) => problem.error)).toEqual([remains]);
});

test('updates that were lost while no session is open ask for the state alone', async () => {
  const { orion, world } = longSession(10);
  await orion.open();
  orion.newChat(FOXES.projectId);
  world.asked.length = 0;
  world.tell([{ type: 'lagged' }]);
  frames.shift()?.();
  await settled();
  expect([world.asked, orion.pages.failed]).toEqual([[{ type: 'state' }], null]);
});

test('what a chat waits for is asked for before it is shown: another process may have begun its turn', async () => {
  const { orion, world } = longSession(1);
  await orion.open();
  const refused = error(
    'turn_waiting',
    'This session waits for you: it asks whether run_tests may run.',
    'Answer that first, or stop the turn.',
    { requestId: 't-1' },
  );
  orion.backend.submit = () => Promise.reject(refused);
  world.extra.set('t-1', {
    requestId: 't-1',
    state: 'running',
    envelopes: record(asking, 't-1', LONG.sessionId, FOXES.projectId).envelopes(),
    undone: [],
    branches: [],
    compactionUndone: false,
    forkedFrom: null,
  });
  world.ids.push('t-1');
  await orion.send('And now?');
  expect([orion.unsent?.error, orion.running]).toEqual([refused, null]);
  await orion.showWaiting();
  expect([orion.running?.requestId, orion.running?.pending !== null]).toEqual(['t-1', true]);
});

test('what another process has deleted leaves the window, and a session that began while the state was asked for stays', async () => {
  const { orion, world, state } = longSession(10);
  await orion.open();
  expect(orion.sessionId).toBe('s-1');
  const begun = session('s-2', FOXES.projectId, 'Begun meanwhile', 0);
  state.sessions = [];
  world.tell([{ type: 'lagged' }]);
  frames.shift()?.();
  world.tell([{ type: 'session', session: begun }]);
  frames.shift()?.();
  await settled();
  expect([orion.sessionId, orion.model.sessions.map(({ sessionId }) => sessionId)]).toEqual([null, ['s-2']]);
  expect(orion.model.chats['s-1']).toBeUndefined();
});

test('a folder that is opened from outside is shown, and one that is shown already keeps its chat', async () => {
  const { orion, world } = longSession(10);
  await orion.open();
  world.tell([{ type: 'project_shown', projectId: FOXES.projectId }]);
  frames.shift()?.();
  expect(orion.sessionId).toBe('s-1');
  world.tell([
    { type: 'project', project: { ...FOXES, projectId: 'p-9' } },
    { type: 'project_shown', projectId: 'p-9' },
  ]);
  frames.shift()?.();
  expect([orion.projectId, orion.sessionId]).toEqual(['p-9', null]);
});

test('how a turn ended in a session that is not open is known until the session is opened', async () => {
  const { orion, world } = longSession(1);
  await orion.open();
  const ended = (sessionId: string, type: string): Update => ({
    type: 'event',
    envelope: {
      ...(journalOf('t-x').at(-1) as Envelope),
      sessionId,
      event: { ...(journalOf('t-x').at(-1) as Envelope).event, type } as Envelope['event'],
    },
  });
  world.tell([ended('s-2', 'completed'), ended('s-3', 'failed'), ended('s-4', 'stopped'), ended('s-1', 'completed')]);
  frames.shift()?.();
  expect(['s-1', 's-2', 's-3', 's-4'].map((id) => orion.news.of(id))).toEqual([null, 'done', 'failed', null]);
  await orion.openSession('s-2');
  expect([orion.news.of('s-2'), orion.news.of('s-3')]).toEqual([null, 'failed']);
});
