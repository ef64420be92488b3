// Brings updates to the screen at most once per frame, whatever the rate they arrive at, and asks for what a turn
// lacks (T6). Not here: what an update means (model/) and where the state is kept (window.svelte.ts).

import { ask, type Backend } from '$lib/backend/backend';
import type { Envelope } from '$lib/generated/Envelope';
import type { Update } from '$lib/generated/Update';
import { missingAfter, type Turn } from '$lib/model/turn';

/** While the window is hidden there are no frames, so updates are taken at this interval. */
const HIDDEN_MS = 250;

export class FrameQueue {
  #waiting: Update[] = [];
  #scheduled = false;

  constructor(private readonly deliver: (updates: Update[]) => void) {}

  push = (updates: Update[]): void => {
    for (const update of updates) this.#waiting.push(update);
    if (this.#scheduled) return;
    this.#scheduled = true;
    if (document.visibilityState === 'hidden') setTimeout(this.flush, HIDDEN_MS);
    else requestAnimationFrame(this.flush);
  };

  flush = (): void => {
    this.#scheduled = false;
    if (this.#waiting.length === 0) return;
    const updates = this.#waiting;
    this.#waiting = [];
    this.deliver(updates);
  };
}

export class Refill {
  /** What each turn lacked when it was last asked about, so that no question is repeated in vain. */
  #asked = new Map<string, string>();

  constructor(
    private readonly backend: Backend,
    private readonly deliver: (envelopes: Envelope[]) => void,
    private readonly failed: (thrown: unknown) => void,
  ) {}

  async look(turn: Turn): Promise<void> {
    const afterSeq = missingAfter(turn);
    if (afterSeq === null) {
      this.#asked.delete(turn.requestId);
      return;
    }
    const lack = `${afterSeq} ${turn.seq} ${turn.text.bytes} ${turn.reasoning.bytes}`;
    if (this.#asked.get(turn.requestId) === lack) return;
    this.#asked.set(turn.requestId, lack);
    await this.#ask(turn.requestId, afterSeq);
  }

  /** Asks for what happened to a turn after the last of its events that was placed; that may be nothing. */
  async since(turn: Turn): Promise<void> {
    await this.#ask(turn.requestId, missingAfter(turn) ?? turn.seq);
  }

  async #ask(requestId: string, afterSeq: number): Promise<void> {
    try {
      const { envelopes } = await ask(this.backend, { type: 'events', requestId, afterSeq });
      this.deliver(envelopes);
    } catch (thrown) {
      this.failed(thrown);
    }
  }
}
