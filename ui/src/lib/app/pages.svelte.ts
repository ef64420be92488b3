// Loads the turns of the open session in pages, as a person reaches them, and drops those that are far away. After updates were lost
// it asks only for those. Not here: how a page joins the turns in memory (model/chat.ts), and when a person
// is near an end (ui/chat).

import { tick } from 'svelte';
import { asErrorInfo, ask } from '$lib/backend/backend';
import type { ErrorInfo } from '$lib/generated/ErrorInfo';
import type { TurnPage } from '$lib/generated/TurnPage';
import type { TurnPlace } from '$lib/generated/TurnPlace';
import * as app from '$lib/model/app';
import { all, newestOf, turnOf } from '$lib/model/chat';
import type { OrionWindow } from './window.svelte';

/** Turns in a page: more than fit on a screen, and drawn within a few frames. */
const PAGE_TURNS = 20;
/** The most turns that the core answers for at once (`AFTERMATH` in engine/queries.rs). */
const AFTERMATH_TURNS = 200;

type End = 'newest' | 'earlier' | 'later' | 'from';

const NONE: ReadonlySet<string> = new Set();

export class Pages {
  /** What is on its way. */
  loading: End | null = $state(null);
  /** The request that failed. It is repeated when a person says so. */
  failed: { end: End; error: ErrorInfo } | null = $state.raw(null);
  /** Turns in view: they are never dropped. */
  inView: () => ReadonlySet<string> = () => NONE;
  /** Brings a turn in memory into view; false where it is not shown. */
  reveal: (requestId: string) => boolean = () => false;
  /** Turns that belong to no page in memory, as the core has said. */
  #strange = new Set<string>();
  #asks = 0;

  constructor(private readonly orion: OrionWindow) {}

  /** Loads the session's end. Turns in memory that do not reach it are dropped. */
  newest(): Promise<void> {
    return this.#load('newest', { type: 'newest' }, 'first');
  }

  async earlier(): Promise<void> {
    const { turns, earlier } = this.orion.chat;
    const first = turns[0];
    if (first && earlier && this.loading === null)
      await this.#load('earlier', { type: 'before', requestId: first.requestId }, 'last');
  }

  async later(): Promise<void> {
    const { turns, later } = this.orion.chat;
    const last = turns.at(-1);
    if (last && later && this.loading === null)
      await this.#load('later', { type: 'after', requestId: last.requestId }, 'first');
  }

  /** Loads the turns from this one on, unless it is in memory. Those in memory are dropped; earlier ones come as a person reaches them. */
  async from(requestId: string): Promise<void> {
    if (!turnOf(this.orion.chat, requestId)) await this.#load('from', { type: 'from', requestId }, 'last');
  }

  /** Opens a session at one of its turns. Of one on another branch only the trace is shown. */
  async open(sessionId: string, requestId: string): Promise<void> {
    if (this.orion.sessionId !== sessionId) await this.orion.openSession(sessionId);
    await this.from(requestId);
    await tick();
    if (!this.reveal(requestId)) this.orion.showTrace(requestId);
  }

  retry(): void {
    const end = this.failed?.end;
    this.failed = null;
    if (end) void this[end === 'from' ? 'newest' : end]();
  }

  /** Another session is open now. */
  leave(): void {
    this.#asks += 1;
    this.loading = null;
    this.failed = null;
    this.#strange.clear();
  }

  /** No conversation is shown. */
  forgetView(): void {
    this.inView = () => NONE;
    this.reveal = () => false;
  }

  /**
   * Asks for what was missed: events of turns that may have gone on, what happened to turns after they were over, and
   * turns of the open session that began (T6).
   */
  async missed(): Promise<void> {
    const { orion } = this;
    const turns = Object.values(orion.model.chats).flatMap(all);
    const refilled = turns.filter(({ end }) => end === null).map((turn) => orion.refill(turn));
    // A write can be undone only once its turn has told of it.
    void Promise.all(refilled).then(() => this.#aftermath(turns.map(({ requestId }) => requestId)));
    await this.#begun();
  }

  /** An event came for a turn of the open session that is not in memory: the turn was dropped, or its beginning was lost. */
  async meet(requestId: string): Promise<void> {
    if (this.#strange.has(requestId)) return;
    this.#strange.add(requestId);
    await this.#begun();
  }

  /** A turn began. The turns in memory grow at their end, so some are dropped at their beginning. */
  trim(): void {
    const { sessionId, model } = this.orion;
    if (sessionId !== null) this.orion.model = app.forget(model, sessionId, 'first', this.inView(), this.orion.needed);
  }

  async #aftermath(requestIds: string[]): Promise<void> {
    for (let from = 0; from < requestIds.length; from += AFTERMATH_TURNS) {
      await this.#aftermathOf(requestIds.slice(from, from + AFTERMATH_TURNS));
    }
  }

  async #aftermathOf(requestIds: string[]): Promise<void> {
    const { orion } = this;
    await orion.attempt(async () => {
      for (;;) {
        const { aftermathRevision } = orion.model;
        const { turns } = await ask(orion.backend, { type: 'aftermath', requestIds });
        if (aftermathRevision === orion.model.aftermathRevision) {
          orion.model = app.foldAftermath(orion.model, turns);
          return;
        }
      }
    });
  }

  async #begun(): Promise<void> {
    if (this.orion.sessionId === null) return;
    for (let more = true; more;) {
      const newest = newestOf(this.orion.chat);
      if (!newest) return this.newest();
      const asks = this.#asks;
      try {
        const page = await this.#ask({ type: 'after', requestId: newest.requestId }, 'first');
        more = asks === this.#asks && page.later && page.turns.length > 0;
      } catch (thrown) {
        if (asks === this.#asks) this.orion.problem(thrown);
        return;
      }
    }
  }

  async #load(end: End, place: TurnPlace, farEnd: 'first' | 'last'): Promise<void> {
    const asks = ++this.#asks;
    this.loading = end;
    this.failed = null;
    try {
      await this.#ask(place, farEnd);
    } catch (thrown) {
      if (asks === this.#asks) this.failed = { end, error: asErrorInfo(thrown) };
    } finally {
      if (asks === this.#asks) this.loading = null;
    }
  }

  async #ask(place: TurnPlace, farEnd: 'first' | 'last'): Promise<TurnPage> {
    const { orion } = this;
    const { sessionId, projectId } = orion;
    if (sessionId === null || projectId === null) throw new Error('No session is open.');
    const newest = newestOf(orion.chat)?.requestId ?? null;
    const { aftermathRevision } = orion.model;
    const { page } = await ask(orion.backend, { type: 'session', sessionId, place, turns: PAGE_TURNS });
    // The person has left that session: its pages are of no use.
    if (orion.sessionId !== sessionId) return page;
    const joined = app.foldPage(orion.model, { sessionId, projectId, place, newest }, page);
    orion.model = app.forget(joined, sessionId, farEnd, this.inView(), orion.needed);
    const requestIds = page.turns.map(({ requestId }) => requestId);
    orion.look(requestIds);
    if (aftermathRevision !== orion.model.aftermathRevision) void this.#aftermath(requestIds);
    return page;
  }
}
