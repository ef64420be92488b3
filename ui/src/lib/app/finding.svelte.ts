// Finding a text in what is open: in all of a session, also in turns that are not in memory, or in the difference or the file that is shown.
// The core says where the text is; what of it can be seen then is the matter of those who show it (ui/finding).

import { tick } from 'svelte';
import { ask } from '$lib/backend/backend';
import type { FindPage } from '$lib/generated/FindPage';
import type { FindPart } from '$lib/generated/FindPart';
import { Searching } from './searching.svelte';
import type { OrionWindow } from './window.svelte';

/** One place in what is open. */
export interface Hit {
  requestId: string;
  part: FindPart;
  /** Which one it is of those in the same part, from 0. */
  nth: number;
}

/** The most places that are counted and stepped through. */
const MOST = 10_000;

/** Looks for a text, and steps through where it is. `H` is a place. */
export class Finder<H> {
  text = $state('');
  hits: readonly H[] = $state.raw([]);
  /** The place that the person is at; null before the first. */
  at: number | null = $state(null);
  looking = $state(false);
  failed = $state(false);
  /** There are more than are counted. */
  more = $state(false);
  #looks = 0;

  /**
   * `pages` gives the places of a text, page by page; `start` chooses the one to begin with among those that are known, or none while
   * more may come; `show` brings one into view.
   */
  constructor(
    private readonly pages: (text: string) => AsyncIterable<readonly H[]>,
    private readonly start: (hits: readonly H[], all: boolean) => number | null,
    private readonly show: (hit: H, text: string) => Promise<void>,
  ) {}

  async look(text: string): Promise<void> {
    const look = ++this.#looks;
    [this.text, this.hits, this.at, this.failed, this.more] = [text, [], null, false, false];
    this.looking = text !== '';
    if (text === '') return;
    try {
      for await (const page of this.pages(text)) {
        if (look !== this.#looks) return;
        this.hits = [...this.hits, ...page].slice(0, MOST);
        this.#begin(false);
        this.more = this.hits.length === MOST;
        if (this.more) break;
      }
      if (look !== this.#looks) return;
      this.#begin(true);
    } catch {
      if (look === this.#looks) this.failed = true;
    } finally {
      if (look === this.#looks) this.looking = false;
    }
  }

  /** To the next place, or the one before; after the last one comes the first. */
  step(by: 1 | -1): void {
    const { length } = this.hits;
    if (length === 0) return;
    this.#go(this.at === null ? (by === 1 ? 0 : length - 1) : (this.at + by + length) % length);
  }

  /** Forgets what was found; the text stays, to be looked for again. */
  leave(): void {
    this.#looks += 1;
    [this.hits, this.at, this.looking] = [[], null, false];
  }

  #begin(all: boolean): void {
    if (this.at !== null || this.hits.length === 0) return;
    const first = this.start(this.hits, all);
    if (first !== null) this.#go(first);
  }

  #go(index: number): void {
    const hit = this.hits[index];
    this.at = index;
    if (hit) void this.show(hit, this.text);
  }
}

export class Finding {
  /** What the bar looks in; null while it is closed. */
  where: 'chat' | 'diff' | 'viewer' | null = $state(null);
  /** Grows when the bar should have the keyboard. */
  focusRequests = $state(0);
  /** Brings a place of a turn in memory into view, opens what it is folded into, and marks it. */
  reveal: (hit: Hit, text: string) => Promise<void> = () => Promise.resolve();
  /** Brings a row of the difference into view, and marks the text in it. */
  revealRow: (row: number, text: string) => Promise<void> = () => Promise.resolve();
  /** The same with a line of the file that is looked at. */
  revealLine: (line: number, text: string) => Promise<void> = () => Promise.resolve();
  /** The line that was found last, from which the next search goes on. */
  #line = 0;

  readonly chat = new Finder<Hit>(
    (text) => this.#inSession(text),
    (hits, all) => this.#nearest(hits, all),
    async (hit, text) => {
      await this.orion.pages.from(hit.requestId);
      await tick();
      await this.reveal(hit, text);
    },
  );
  readonly diff = new Finder<number>(
    (text) => this.#inRows(text),
    () => 0,
    (row, text) => this.revealRow(row, text),
  );
  readonly viewer = new Finder<number>(
    (text) => this.#inFile(text),
    (lines, all) => {
      const next = lines.findIndex((line) => line >= this.#line);
      return next === -1 ? (all ? 0 : null) : next;
    },
    (line, text) => {
      this.#line = line;
      return this.revealLine(line, text);
    },
  );

  /** What the palette finds in all conversations. */
  readonly searching: Searching;

  constructor(private readonly orion: OrionWindow) {
    this.searching = new Searching(orion);
  }

  /** What the bar steps through. */
  get finder(): Finder<Hit> | Finder<number> | null {
    return this.where === null ? null : this[this.where];
  }

  /** Opens the bar where the keyboard is; in a trace the keyboard goes to its own field. */
  open(target: EventTarget | null): void {
    const element = target instanceof Element ? target : null;
    if (element?.closest('[data-find=trace]')) return this.orion.tracing.search();
    const { review, sides, folder } = this.orion;
    const inViewer = element?.closest('[data-find=viewer]') != null;
    const inDiff =
      review.rows !== null && (sides.wide || (review.visible && element?.closest('[data-find=diff]') != null));
    // A picture has no text, and what the person does not look at is not searched instead.
    if (inViewer && !folder.viewed?.total) return;
    // The turns of a session may still be on their way; the core finds in them all the same.
    if (!inViewer && !inDiff && this.orion.sessionId === null) return;
    const where = inViewer ? 'viewer' : inDiff ? 'diff' : 'chat';
    if (this.where !== where) this.close();
    this.where = where;
    this.focusRequests += 1;
    const { finder } = this;
    // The text of last time is looked for again: what is open may be another now.
    if (finder && finder.hits.length === 0 && finder.text !== '') void finder.look(finder.text);
  }

  close(): void {
    this.finder?.leave();
    this.#line = 0;
    this.where = null;
  }

  async *#inSession(text: string): AsyncGenerator<readonly Hit[]> {
    const { orion } = this;
    const { sessionId } = orion;
    let from: string | null = null;
    while (sessionId !== null && sessionId === orion.sessionId) {
      const answer: { page: FindPage } = await ask(orion.backend, { type: 'find', sessionId, text, from });
      const { page } = answer;
      yield page.hits.flatMap(({ requestId, part, times }) =>
        Array.from({ length: Math.min(times, MOST) }, (_, nth) => ({ requestId, part, nth })),
      );
      if (page.next === null) return;
      from = page.next;
    }
  }

  /** The first one from where the person reads on; where there is none, the last one before. */
  #nearest(hits: readonly Hit[], all: boolean): number | null {
    const { chat, pages } = this.orion;
    const inView = pages.inView();
    const first = Math.max(
      chat.turns.findIndex(({ requestId }) => inView.has(requestId)),
      0,
    );
    const order = new Map(chat.turns.map(({ requestId }, index) => [requestId, index]));
    const after = hits.findIndex(({ requestId }) => (order.get(requestId) ?? -1) >= first);
    if (after !== -1) return after;
    if (!all) return null;
    return chat.later ? 0 : hits.length - 1;
  }

  /** The file that is looked at is another one now, or has changed: what was found in it before may be elsewhere. */
  fileChanged(isSame: boolean): void {
    if (this.where !== 'viewer') return;
    if (isSame) void this.viewer.look(this.viewer.text);
    else this.close();
  }

  async *#inFile(text: string): AsyncGenerator<readonly number[]> {
    const { folder } = this.orion;
    const { viewed } = folder;
    if (!viewed) return;
    const wanted = text.toLowerCase();
    for await (const { first, texts } of viewed.texts()) {
      if (viewed !== folder.viewed) return;
      yield texts.flatMap((line, index) => (line.toLowerCase().includes(wanted) ? [first + index] : []));
    }
  }

  async *#inRows(text: string): AsyncGenerator<readonly number[]> {
    const { rows } = this.orion.review;
    if (!rows) return;
    const wanted = text.toLowerCase();
    for await (const { first, texts } of rows.texts()) {
      if (rows !== this.orion.review.rows) return;
      yield texts.flatMap((line, index) => (line.toLowerCase().includes(wanted) ? [first + index] : []));
    }
  }
}
