// What the window holds of one session: a stretch of turns that follow one another, and a few that are apart from it.
// Pages of the session are added at either end, and turns far from what the person looks at are dropped. Pure: no clock,
// no I/O.

import type { Aftermath } from '$lib/generated/Aftermath';
import type { Envelope } from '$lib/generated/Envelope';
import type { TurnPage } from '$lib/generated/TurnPage';
import type { TurnPlace } from '$lib/generated/TurnPlace';
import type { TurnState } from '$lib/generated/TurnState';
import type { TurnView } from '$lib/generated/TurnView';
import type { Item } from './item';
import { emptyTurn, foldEnvelope, type Turn } from './turn';
import { sameOrigin } from './forking';
import { withUndone } from './write';

export interface Chat {
  /** Turns that follow one another, in the order they began. */
  turns: readonly Turn[];
  /** The session may have turns before them. */
  earlier: boolean;
  /** The session has turns after them; its newest is apart then. */
  later: boolean;
  /** Turns that something shows, or that run, and that are not among those above; the newest is the last. */
  apart: readonly Turn[];
}

/** A chat of which nothing is known yet. */
export const UNKNOWN_CHAT: Chat = { turns: [], earlier: true, later: false, apart: [] };
/** The chat of a session that was just created. */
export const NEW_CHAT: Chat = { ...UNKNOWN_CHAT, earlier: false };

/** Turns of a chat that are kept in memory, not counting those in view: three pages. */
export const MAX_TURNS = 60;
/** Characters that they have together: about 16 MB of memory. */
export const MAX_CHARACTERS = 4_000_000;

/** Costs the same however long the session is. */
export function newestOf(chat: Chat): Turn | null {
  return (chat.later ? chat.apart.at(-1) : chat.turns.at(-1)) ?? null;
}

export function turnOf(chat: Chat, requestId: string): Turn | null {
  // From the end: what changes is the newest turn.
  return (
    chat.turns.findLast((turn) => turn.requestId === requestId) ??
    chat.apart.find((turn) => turn.requestId === requestId) ??
    null
  );
}

/** The turns in memory, the newest last, except those apart. */
export function all({ apart, turns }: Chat): readonly Turn[] {
  return apart.length === 0 ? turns : [...apart, ...turns];
}

/** The turn in memory that wrote last. */
export function writingOf(chat: Chat): Turn | null {
  const wrote = all(chat).filter((turn) => turn.items.some(({ kind }) => kind === 'write'));
  return wrote.reduce<Turn | null>((last, turn) => (last && last.startedAtMs > turn.startedAtMs ? last : turn), null);
}

/** Changes one turn. The same chat when the turn is not in memory or does not change. */
export function patchTurn(chat: Chat, requestId: string, patch: (turn: Turn) => Turn): Chat {
  const known = turnOf(chat, requestId);
  const next = known && patch(known);
  return !next || next === known ? chat : replaced(chat, next);
}

function replaced(chat: Chat, turn: Turn): Chat {
  const at = chat.turns.findLastIndex(({ requestId }) => requestId === turn.requestId);
  if (at === -1)
    return { ...chat, apart: chat.apart.map((other) => (other.requestId === turn.requestId ? turn : other)) };
  // `slice` copies pointers as memory; `with` looks at each of them.
  const turns = chat.turns.slice();
  turns[at] = turn;
  return { ...chat, turns };
}

/**
 * Takes an event as it happens. A turn that begins is the session's newest. An event of a turn that is not in memory changes nothing: the
 * turn was dropped, or its beginning was lost, and the core knows which.
 */
export function foldEvent(chat: Chat, envelope: Envelope): Chat {
  const known = turnOf(chat, envelope.requestId);
  if (known) {
    const after = foldEnvelope(known, envelope);
    return after === known ? chat : replaced(chat, after);
  }
  if (envelope.event.type !== 'turn_started' && chat.turns.length > 0) return chat;
  const begun = foldEnvelope(emptyTurn(envelope), envelope);
  return chat.later ? { ...chat, apart: [...chat.apart, begun] } : { ...chat, turns: [...chat.turns, begun] };
}

/** The state of the chat when a page was asked for. */
export interface PageOf {
  sessionId: string;
  projectId: string;
  place: TurnPlace;
  /** The newest turn that was known when the page was asked for; newer turns began since. */
  newest: string | null;
}

/** The next message follows this turn now (T9): what came after it has left the path. Unknown where the turn is not in memory. */
export function moveTip(chat: Chat, tip: string | null): Chat {
  if (tip === null) return NEW_CHAT;
  const at = chat.turns.findLastIndex(({ requestId }) => requestId === tip);
  if (at === -1) return UNKNOWN_CHAT;
  if (at === chat.turns.length - 1 && !chat.later) return chat;
  return { turns: chat.turns.slice(0, at + 1), earlier: chat.earlier, later: false, apart: [] };
}

/** Adds a page to the turns in memory. A page that no longer joins them changes nothing. */
export function foldPage(chat: Chat, of: PageOf, page: TurnPage): Chat {
  const turns = page.turns.map((view) => foldView(turnOf(chat, view.requestId), view, of));
  // The path no longer leads through the turn that was asked about.
  if (page.anew) return held(UNKNOWN_CHAT, turns, page.earlier, turns.at(-1) ?? null);
  switch (of.place.type) {
    case 'newest':
      return withNewest(chat, of.newest, turns, page.earlier);
    case 'before':
      if (chat.turns[0]?.requestId !== of.place.requestId) return chat;
      return held(chat, [...turns, ...chat.turns], page.earlier, newestOf(chat));
    case 'after':
      return withLater(chat, of.place.requestId, turns, page.later);
    case 'from':
      return withFrom(chat, turns, page.earlier);
  }
}

/** These were the session's last turns when they were asked for. */
function withNewest(chat: Chat, asked: string | null, turns: readonly Turn[], earlier: boolean): Chat {
  const meets = chat.turns.findIndex((turn) => has(turns, turn));
  const before = meets > 0 ? chat.turns.slice(0, meets) : [];
  // What is known after one of them, or after the newest of then, and is not among them, began since.
  const known = chat.later ? chat.apart.slice(-1) : chat.turns;
  const old = Math.max(
    known.findLastIndex((turn) => has(turns, turn)),
    known.findIndex(({ requestId }) => requestId === asked),
  );
  const since = known.slice(old + 1);
  // What is apart need not follow right after them.
  const all = [...before, ...turns, ...(chat.later ? [] : since)];
  return held(chat, all, before.length > 0 ? chat.earlier : earlier, since.at(-1) ?? all.at(-1) ?? null);
}

/** These follow a turn that was in memory when they were asked for; `later` when the session has turns after them. */
function withLater(chat: Chat, requestId: string, turns: readonly Turn[], later: boolean): Chat {
  const newest = newestOf(chat);
  const at = chat.turns.findIndex((turn) => turn.requestId === requestId);
  if (at === -1) {
    // They follow the newest, which is apart: the last of them is the newest now.
    const last = turns.at(-1);
    return chat.later && newest?.requestId === requestId && last ? { ...chat, apart: [...chat.apart, last] } : chat;
  }
  const until = [...chat.turns.slice(0, at + 1), ...turns];
  // What is known and is not among them comes after them; right after them only when the session has none between, of which what is apart says nothing.
  const known = chat.later ? chat.apart.slice(-1) : chat.turns.slice(at + 1);
  const since = known.filter((turn) => !has(turns, turn));
  return held(
    chat,
    later || chat.later ? until : [...until, ...since],
    chat.earlier,
    since.at(-1) ?? until.at(-1) ?? null,
  );
}

/** These are shown in place of those in memory. What began since they were asked for is the newest still. */
function withFrom(chat: Chat, turns: readonly Turn[], earlier: boolean): Chat {
  const [known, last] = [newestOf(chat), turns.at(-1)];
  if (!last) return chat;
  return held(chat, turns, earlier, known && !has(turns, known) ? known : last);
}

/** The chat with this stretch, whose session has this newest turn. */
function held(chat: Chat, turns: readonly Turn[], earlier: boolean, newest: Turn | null): Chat {
  const apart = chat.apart.filter((turn) => !has(turns, turn) && turn.requestId !== newest?.requestId);
  const later = newest !== null && !has(turns, newest);
  return { turns, earlier, later, apart: later ? [...apart, newest] : apart };
}

const has = (turns: readonly Turn[], { requestId }: Turn): boolean =>
  turns.some((turn) => turn.requestId === requestId);

/** A turn as the core reports it, combined with what is known of it. */
function foldView(known: Turn | null, view: TurnView, { sessionId, projectId }: PageOf): Turn {
  const before = known ?? emptyTurn({ requestId: view.requestId, sessionId, projectId });
  const told = Math.max(0, ...view.envelopes.map(({ seq }) => seq));
  const turn = view.envelopes.reduce(foldEnvelope, before);
  // A view that is older than what the window has seen since says nothing about where the turn stands.
  const stands = turn.end || turn.seq > told ? turn : standing(turn, view.state);
  const { forkedFrom } = view;
  return withAftermath(sameOrigin(forkedFrom, stands.forkedFrom) ? stands : { ...stands, forkedFrom }, view);
}

/** A turn that is no part of a chat, as the core reports it. */
export function turnOfView(view: TurnView, projectId: string): Turn {
  const of = { sessionId: view.envelopes[0]?.sessionId ?? '', projectId };
  return foldView(null, view, { ...of, place: { type: 'newest' }, newest: null });
}

/** The first turn of a fork whose origin is there, where the chat begins with it; else null. */
export function forkIn({ turns, earlier }: Chat): Turn | null {
  const first = turns[0];
  return first && !earlier && (first.forkedFrom?.sessionId ?? null) !== null ? first : null;
}

/** A turn with what happened to it after it was over. */
export function withAftermath(turn: Turn, { undone, branches, compactionUndone }: Aftermath): Turn {
  const same = compactionUndone === turn.compactionUndone && String(branches) === String(turn.branches);
  return withUndone(same ? turn : { ...turn, compactionUndone, branches }, undone);
}

/** No event tells where a turn stands whose process is gone (A5, W7). */
function standing(turn: Turn, state: TurnState): Turn {
  const otherVersion = state === 'other_version';
  // An event says that a turn was interrupted; one of another version that was not waits.
  const waiting = state === 'waiting' || (otherVersion && !turn.interrupted);
  const interrupted = !waiting && (turn.interrupted || state === 'interrupted');
  const same = interrupted === turn.interrupted && waiting === turn.waiting && otherVersion === turn.otherVersion;
  return same ? turn : { ...turn, interrupted, waiting, otherVersion };
}

/**
 * Lets go of turns at one end of the stretch until it is no larger than it may be; those in view stay, and all between them. What is
 * needed elsewhere, and the newest, stand apart from then on.
 */
export function forget(
  chat: Chat,
  end: 'first' | 'last',
  inView: ReadonlySet<string>,
  needed: ReadonlySet<string>,
): Chat {
  const { turns } = chat;
  const away = end === 'first' ? turns : turns.toReversed();
  let count = turns.length;
  let characters = turns.reduce((sum, turn) => sum + charactersOf(turn), 0);
  let gone = 0;
  for (const turn of away) {
    if ((count <= MAX_TURNS && characters <= MAX_CHARACTERS) || inView.has(turn.requestId) || count === 1) break;
    count -= 1;
    characters -= charactersOf(turn);
    gone += 1;
  }
  if (gone === 0) return withNeeded(chat, needed);
  const dropped = end === 'first' ? turns.slice(0, gone) : turns.slice(-gone);
  const left = end === 'first' ? turns.slice(gone) : turns.slice(0, -gone);
  return withNeeded(
    held({ ...chat, apart: [...dropped, ...chat.apart] }, left, chat.earlier || end === 'first', newestOf(chat)),
    needed,
  );
}

/** The rest of a session that is not looked at: its newest turn, while that may still change. */
export function unattended(chat: Chat): Chat | null {
  const newest = newestOf(chat);
  return newest && newest.end === null && !newest.interrupted ? { ...UNKNOWN_CHAT, turns: [newest] } : null;
}

function withNeeded(chat: Chat, needed: ReadonlySet<string>): Chat {
  const newest = chat.later ? newestOf(chat) : null;
  const apart = chat.apart.filter((turn) => turn === newest || needed.has(turn.requestId));
  return apart.length === chat.apart.length ? chat : { ...chat, apart };
}

function charactersOf(turn: Turn): number {
  return turn.items.reduce((sum, item) => sum + lengthOf(item), turn.start?.text.length ?? 0);
}

function lengthOf(item: Item): number {
  if (item.kind === 'text' || item.kind === 'reasoning') return item.text.length;
  // Arguments are small but for the text of a file; what an object takes beside its text counts as well.
  return item.kind === 'tool' || item.kind === 'refused' || item.kind === 'reused'
    ? JSON.stringify(item.arguments).length + 500
    : 500;
}
