// What the palette finds in conversations while words are typed. Of what is typed meanwhile only the last is asked for.

import { asErrorInfo, ask } from '$lib/backend/backend';
import type { ErrorInfo } from '$lib/generated/ErrorInfo';
import type { Found } from '$lib/generated/Found';
import * as app from '$lib/model/app';
import type { OrionWindow } from './window.svelte';

/** Hits that are asked for, and how many of them one session may have in the list: the words of others are to be seen too. */
const ASKED = 60;
const OF_A_SESSION = 3;
const SHOWN = 20;

/** One letter is in nearly every text. */
const LEAST = 2;

export class Searching {
  found: readonly Found[] = $state.raw([]);
  /** Something that was said is still being entered. */
  filling = $state(false);
  failure: ErrorInfo | null = $state.raw(null);
  #wanted = '';
  #asked: string | null = null;

  constructor(private readonly orion: OrionWindow) {}

  /** Looks for these words; the result comes later, unless others are wanted by then. */
  look(text: string): void {
    this.#wanted = text.trim().length < LEAST ? '' : text;
    if (this.#wanted === '') this.#show([], false);
    else if (this.#asked === null) void this.#ask();
  }

  /** Opens the session at what was found, however far back it is. */
  go({ session, requestId }: Found): void {
    const { orion } = this;
    // The window may not know of one so old.
    orion.model = app.fold(orion.model, { type: 'session', session });
    void (requestId === null ? orion.openSession(session.sessionId) : orion.pages.open(session.sessionId, requestId));
  }

  async #ask(): Promise<void> {
    while (this.#wanted !== '' && this.#wanted !== this.#asked) {
      const text = this.#wanted;
      this.#asked = text;
      try {
        const { page } = await ask(this.orion.backend, { type: 'search', text, after: null, limit: ASKED });
        if (text === this.#wanted) this.#show(fewOfEach(page.found), page.filling);
      } catch (thrown) {
        this.#show([], false);
        this.failure = asErrorInfo(thrown);
      }
    }
    this.#asked = null;
  }

  #show(found: readonly Found[], filling: boolean): void {
    this.found = found;
    this.filling = filling;
    this.failure = null;
  }
}

/** The first hits, few of each session. */
export function fewOfEach(found: readonly Found[]): Found[] {
  const seen = new Map<string, number>();
  const few = found.filter(({ session: { sessionId } }) => {
    const before = seen.get(sessionId) ?? 0;
    seen.set(sessionId, before + 1);
    return before < OF_A_SESSION;
  });
  return few.slice(0, SHOWN);
}
