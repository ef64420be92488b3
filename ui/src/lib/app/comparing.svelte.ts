// Two turns side by side: their traces, asked for when they are compared. Not here: how they are aligned and drawn.

import { asErrorInfo, ask } from '$lib/backend/backend';
import type { ErrorInfo } from '$lib/generated/ErrorInfo';
import type { TurnFigures } from '$lib/generated/TurnFigures';
import { type Comparison, compared, linesOf } from '$lib/model/comparing/align';
import { Timeline } from '$lib/model/timeline/timeline';
import type { OrionWindow } from './window.svelte';

export class Comparing {
  turns: readonly [TurnFigures, TurnFigures] | null = $state.raw(null);
  /** Null while it is on its way. */
  comparison: Comparison | null = $state.raw(null);
  failure: ErrorInfo | null = $state.raw(null);
  #asks = 0;

  constructor(private readonly orion: OrionWindow) {}

  async compare(left: TurnFigures, right: TurnFigures): Promise<void> {
    const asked = ++this.#asks;
    [this.turns, this.comparison, this.failure] = [[left, right], null, null];
    try {
      const [one, other] = await Promise.all([this.#timeline(left.requestId), this.#timeline(right.requestId)]);
      if (asked === this.#asks) this.comparison = compared(linesOf(one), linesOf(other));
    } catch (thrown) {
      if (asked === this.#asks) this.failure = asErrorInfo(thrown);
    }
  }

  again(): void {
    if (this.turns) void this.compare(...this.turns);
  }

  close(): void {
    this.#asks += 1;
    this.turns = null;
  }

  async #timeline(requestId: string): Promise<Timeline> {
    const timeline = new Timeline(requestId);
    const { spans } = await ask(this.orion.backend, { type: 'trace', requestId });
    for (const span of spans) timeline.take(span);
    return timeline;
  }
}
