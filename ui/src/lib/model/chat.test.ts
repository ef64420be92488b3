import fc from 'fast-check';
import { expect, test } from 'vitest';
import { answered, record } from '$lib/backend/replay/scripts';
import type { Envelope } from '$lib/generated/Envelope';
import type { TurnPage } from '$lib/generated/TurnPage';
import type { TurnPlace } from '$lib/generated/TurnPlace';
import {
  all,
  type Chat,
  foldEvent,
  foldPage,
  forget,
  MAX_CHARACTERS,
  MAX_TURNS,
  moveTip,
  NEW_CHAT,
  newestOf,
  turnOf,
  UNKNOWN_CHAT,
  writingOf,
} from './chat';

const IDS = { sessionId: 's', projectId: 'p' };
const NONE: ReadonlySet<string> = new Set();
const journals = new Map<string, Envelope[]>();

function journalOf(requestId: string): Envelope[] {
  const known = journals.get(requestId);
  if (known) return known;
  const journal = record(answered, requestId, 's', 'p', requestId).envelopes();
  journals.set(requestId, journal);
  return journal;
}

/** The session as the core has it: its turns in order, the last of them perhaps under way. */
class Core {
  turns: { requestId: string; said: number }[] = [];

  constructor(turns: number) {
    this.turns = Array.from({ length: turns }, (_, index) => ({
      requestId: `t-${index}`,
      said: journalOf(`t-${index}`).length,
    }));
  }

  page(place: TurnPlace, most: number): TurnPage {
    const at =
      place.type === 'newest'
        ? this.turns.length
        : this.turns.findIndex(({ requestId }) => requestId === place.requestId);
    const first = place.type === 'after' ? at + 1 : at;
    const [from, to] =
      place.type === 'after' || place.type === 'from'
        ? [first, Math.min(first + most, this.turns.length)]
        : [Math.max(at - most, 0), at];
    const turns = this.turns.slice(from, to).map(({ requestId, said }) => {
      const envelopes = journalOf(requestId).slice(0, said);
      return {
        requestId,
        state: said === journalOf(requestId).length ? ('over' as const) : ('running' as const),
        envelopes,
        undone: [],
        branches: [requestId],
        compactionUndone: false,
        forkedFrom: null,
      };
    });
    return { turns, earlier: from > 0, later: to < this.turns.length, anew: false };
  }

  /** The next thing that happens in the session: a turn goes on, or the next one begins. */
  goOn(events: number): Envelope[] {
    const last = this.turns.at(-1);
    const journal = last && journalOf(last.requestId);
    if (last && journal && last.said < journal.length) {
      const told = journal.slice(last.said, last.said + events);
      last.said += told.length;
      return told;
    }
    const requestId = `t-${this.turns.length}`;
    const told = journalOf(requestId).slice(0, events);
    this.turns.push({ requestId, said: told.length });
    return told;
  }
}

const idsOf = (chat: Chat) => chat.turns.map(({ requestId }) => requestId);

/** A window on it, whose answers arrive late and in any order. */
class Window {
  chat: Chat = UNKNOWN_CHAT;
  onTheWay: { place: TurnPlace; newest: string | null; page: TurnPage }[] = [];

  constructor(private readonly core: Core) {}

  ask(place: TurnPlace | null): void {
    if (place)
      this.onTheWay.push({ place, newest: newestOf(this.chat)?.requestId ?? null, page: this.core.page(place, 4) });
  }

  arrive(which: number, end: 'first' | 'last', inView: number): void {
    const [answer] = this.onTheWay.splice(which % Math.max(this.onTheWay.length, 1), 1);
    if (!answer) return;
    const joined = foldPage(this.chat, { ...IDS, ...answer }, answer.page);
    const seen = joined.turns[inView % Math.max(joined.turns.length, 1)];
    this.chat = forget(joined, end, new Set(seen ? [seen.requestId] : []), NONE);
  }

  /** What holds whatever came: turns in a row, each once, with nothing between them, and the newest known. */
  check(): void {
    const { turns, earlier, later, apart } = this.chat;
    const [first] = turns;
    if (!first) return;
    const order = this.core.turns.map(({ requestId }) => requestId);
    const from = order.indexOf(first.requestId);
    expect(idsOf(this.chat)).toEqual(order.slice(from, from + turns.length));
    expect(new Set([...turns, ...apart].map(({ requestId }) => requestId)).size).toBe(turns.length + apart.length);
    if (!earlier) expect(from).toBe(0);
    expect(later).toBe(apart.length > 0);
    expect(newestOf(this.chat)?.requestId).toBe(order.at(-1));
  }
}

type Step =
  | { kind: 'live'; events: number; lost: boolean }
  | { kind: 'ask'; place: 'newest' | 'before' | 'after' | 'from'; which: number }
  | { kind: 'arrive'; which: number; end: 'first' | 'last'; inView: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('live' as const), events: fc.integer({ min: 1, max: 60 }), lost: fc.boolean() }),
  fc.record({
    kind: fc.constant('ask' as const),
    place: fc.constantFrom('newest' as const, 'before' as const, 'after' as const, 'from' as const),
    which: fc.nat(20),
  }),
  fc.record({
    kind: fc.constant('arrive' as const),
    which: fc.nat(5),
    end: fc.constantFrom('first' as const, 'last' as const),
    inView: fc.nat(80),
  }),
);

function placeOf(chat: Chat, place: 'newest' | 'before' | 'after' | 'from', core: Core, which = 0): TurnPlace | null {
  if (place === 'newest') return { type: 'newest' };
  if (place === 'from') {
    const turn = core.turns[which % Math.max(core.turns.length, 1)];
    return turn ? { type: 'from', requestId: turn.requestId } : null;
  }
  const turn = place === 'before' ? chat.turns[0] : chat.later ? chat.turns.at(-1) : newestOf(chat);
  return turn ? { type: place, requestId: turn.requestId } : null;
}

/** What the window asks for once updates were lost: turns after the newest it knows, and what happened to those that run. */
function recover(window: Window, core: Core): void {
  for (let more = true; more;) {
    const newest = newestOf(window.chat);
    const place: TurnPlace = newest ? { type: 'after', requestId: newest.requestId } : { type: 'newest' };
    const page = core.page(place, 4);
    window.chat = foldPage(window.chat, { ...IDS, place, newest: newest?.requestId ?? null }, page);
    more = page.later && page.turns.length > 0;
  }
  for (const { requestId, said } of core.turns) {
    if (turnOf(window.chat, requestId))
      for (const envelope of journalOf(requestId).slice(0, said)) window.chat = foldEvent(window.chat, envelope);
  }
}

test('T6: pages and events in any order, late or lost, give turns in a row with nothing between them, and in the end the session itself', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 9 }), fc.array(step, { maxLength: 30 }), (turns, steps) => {
      const core = new Core(turns);
      const window = new Window(core);
      window.ask({ type: 'newest' });
      window.arrive(0, 'first', 0);
      let lost = false;
      for (const each of steps) {
        if (each.kind === 'ask') window.ask(placeOf(window.chat, each.place, core, each.which));
        else if (each.kind === 'arrive') window.arrive(each.which, each.end, each.inView);
        else {
          const events = core.goOn(each.events);
          lost ||= each.lost;
          // What was lost is asked for before anything else is taken, as the window does.
          if (each.lost) recover(window, core);
          else for (const envelope of events) window.chat = foldEvent(window.chat, envelope);
        }
        window.check();
      }
      recover(window, core);
      window.check();
      // From wherever the window stands, scrolling to both ends shows the whole session, as one that opened it now.
      while (window.chat.later) {
        window.ask(placeOf(window.chat, 'after', core));
        window.arrive(window.onTheWay.length - 1, 'last', 0);
        window.check();
      }
      const newest = core.turns.at(-1);
      expect(newestOf(window.chat)?.requestId).toBe(newest?.requestId);
      for (const { requestId, said } of core.turns) {
        const held = turnOf(window.chat, requestId);
        if (held && !lost)
          expect(held.seq).toBe(
            journalOf(requestId)
              .slice(0, said)
              .findLast(({ event }) => !event.type.endsWith('_chunk'))?.seq,
          );
      }
    }),
    { numRuns: 300 },
  );
});

const page = (core: Core, chat: Chat, place: TurnPlace, most: number) =>
  foldPage(chat, { ...IDS, place, newest: newestOf(chat)?.requestId ?? null }, core.page(place, most));

test('what is let go stays known by its newest turn and by what is needed, and never what is in view', () => {
  const core = new Core(150);
  let chat = page(core, UNKNOWN_CHAT, { type: 'newest' }, 100);
  const needed = new Set(['t-120']);
  chat = forget(chat, 'last', new Set(['t-50', 't-51']), needed);
  expect([idsOf(chat).at(0), idsOf(chat).length, chat.later, chat.apart.map(({ requestId }) => requestId)]).toEqual([
    't-50',
    MAX_TURNS,
    true,
    ['t-120', 't-149'],
  ]);
  // In view, it stays, however much is held.
  const all_ = page(core, UNKNOWN_CHAT, { type: 'newest' }, 100);
  expect(forget(all_, 'last', new Set(['t-149']), NONE).turns.length).toBe(100);
  // Nobody needs it any more.
  expect(forget(chat, 'last', NONE, NONE).apart.map(({ requestId }) => requestId)).toEqual(['t-149']);
});

test('long turns are let go of sooner than short ones', () => {
  const core = new Core(12);
  const chat = page(core, UNKNOWN_CHAT, { type: 'newest' }, 12);
  const long = {
    ...chat,
    turns: chat.turns.map((turn) => ({
      ...turn,
      items: [{ kind: 'text' as const, seq: 1, text: 'x'.repeat(MAX_CHARACTERS / 4) }],
    })),
  };
  expect(idsOf(forget(long, 'first', NONE, NONE))).toEqual(['t-9', 't-10', 't-11']);
});

test('an event of a turn that was let go is not taken for a new turn', () => {
  const core = new Core(30);
  const chat = page(core, UNKNOWN_CHAT, { type: 'newest' }, 4);
  const [, late] = journalOf('t-2');
  expect(foldEvent(chat, late as Envelope)).toBe(chat);
});

test('a turn that begins while the person reads far above is known, and is shown in its place when they come back', () => {
  const core = new Core(30);
  let chat = page(core, UNKNOWN_CHAT, { type: 'newest' }, 4);
  chat = {
    ...forget({ ...chat, turns: chat.turns.slice(0, 2) }, 'last', NONE, NONE),
    later: true,
    apart: chat.turns.slice(-1),
  };
  for (const envelope of core.goOn(1_000)) chat = foldEvent(chat, envelope);
  expect([newestOf(chat)?.requestId, idsOf(chat)]).toEqual(['t-30', ['t-26', 't-27']]);
  chat = page(core, chat, { type: 'after', requestId: 't-27' }, 4);
  expect([idsOf(chat), chat.later, chat.apart]).toEqual([['t-26', 't-27', 't-28', 't-29', 't-30'], false, []]);
});

test('more turns than a page holds that were missed, while another began: there is no gap that looks like none', () => {
  const core = new Core(4);
  let chat = page(core, UNKNOWN_CHAT, { type: 'newest' }, 4);
  core.turns = new Core(12).turns;
  for (const envelope of core.goOn(1_000)) chat = foldEvent(chat, envelope);
  chat = page(core, chat, { type: 'after', requestId: 't-3' }, 4);
  expect([idsOf(chat), chat.later, newestOf(chat)?.requestId]).toEqual([
    core.turns.slice(0, 8).map(({ requestId }) => requestId),
    true,
    't-12',
  ]);
  chat = page(core, chat, { type: 'after', requestId: 't-7' }, 20);
  expect([idsOf(chat), chat.later]).toEqual([core.turns.map(({ requestId }) => requestId), false]);
});

test('jumping to the latest turn lets go of everything else', () => {
  const core = new Core(60);
  const there = page(core, { ...UNKNOWN_CHAT }, { type: 'before', requestId: 't-10' }, 4);
  expect(there.turns).toEqual([]);
  const chat = page(core, page(core, UNKNOWN_CHAT, { type: 'newest' }, 4), { type: 'newest' }, 8);
  expect(idsOf(chat)).toEqual(core.turns.slice(-8).map(({ requestId }) => requestId));
});

test('an event costs the same however many turns are held', () => {
  const few = page(new Core(10), UNKNOWN_CHAT, { type: 'newest' }, 10);
  const many = page(new Core(200), UNKNOWN_CHAT, { type: 'newest' }, MAX_TURNS);
  const live = journalOf('t-live');
  const cost = (chat: Chat) => {
    const began = performance.now();
    for (let round = 0; round < 40; round += 1) live.reduce(foldEvent, chat);
    return performance.now() - began;
  };
  // The least of each is what it costs: whatever else the machine does only adds to it, so on a busy one it takes longer to be seen.
  const least = { few: Infinity, many: Infinity };
  for (let round = 0; round < 15 || (round < 500 && least.many / least.few >= 1.2); round += 1) {
    least.many = Math.min(least.many, cost(many));
    least.few = Math.min(least.few, cost(few));
  }
  expect(least.many / least.few).toBeLessThan(1.2);
});

test('the turn that wrote last is found wherever it is held', () => {
  expect(writingOf(UNKNOWN_CHAT)).toBe(null);
  expect(all(UNKNOWN_CHAT)).toEqual([]);
});

// T9
test('what came after the tip leaves the chat, and the next turn follows the tip', () => {
  const core = new Core(4);
  const of = { ...IDS, place: { type: 'newest' } as const, newest: null };
  const chat = foldPage(UNKNOWN_CHAT, of, core.page(of.place, 3));
  const moved = moveTip(chat, 't-2');
  expect([idsOf(moved), moved.earlier, moved.later]).toEqual([['t-1', 't-2'], true, false]);
  const next = journalOf('t-9').slice(0, 2).reduce(foldEvent, moved);
  expect(idsOf(next)).toEqual(['t-1', 't-2', 't-9']);
  expect(moveTip(chat, 't-3')).toBe(chat);
  expect(moveTip(chat, null)).toEqual(NEW_CHAT);
  // A tip that is not in memory: nothing is known until the core has told.
  expect(moveTip(chat, 't-0')).toEqual(UNKNOWN_CHAT);
});

test('a page of a path that has moved takes the place of everything', () => {
  const core = new Core(3);
  const chat = foldPage(
    UNKNOWN_CHAT,
    { ...IDS, place: { type: 'newest' }, newest: null },
    core.page({ type: 'newest' }, 3),
  );
  const other = new Core(2).page({ type: 'newest' }, 1);
  const after = foldPage(
    chat,
    { ...IDS, place: { type: 'after', requestId: 't-2' }, newest: 't-2' },
    { ...other, anew: true },
  );
  expect([idsOf(after), after.earlier, after.later, after.apart]).toEqual([['t-1'], true, false, []]);
});
