// How turns ended in sessions that nobody looked at: the list says so until the session is opened.

import type { Envelope } from '$lib/generated/Envelope';

export type Ended = 'done' | 'failed';

export class News {
  #of: Readonly<Record<string, Ended>> = $state.raw({});

  of(sessionId: string): Ended | null {
    return this.#of[sessionId] ?? null;
  }

  take(events: readonly Envelope[], openId: string | null): void {
    for (const { sessionId, event } of events) {
      if (event.type === 'turn_started') this.seen(sessionId);
      const ended = event.type === 'completed' ? 'done' : event.type === 'failed' ? 'failed' : null;
      if (ended !== null && sessionId !== openId) this.#of = { ...this.#of, [sessionId]: ended };
    }
  }

  seen(sessionId: string): void {
    if (!(sessionId in this.#of)) return;
    this.#of = Object.fromEntries(Object.entries(this.#of).filter(([known]) => known !== sessionId));
  }
}
