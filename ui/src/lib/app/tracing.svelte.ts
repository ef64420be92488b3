// The trace of one turn: its spans, what of it is chosen, and what is lit here and in the chat. Not here: how it is laid out (model/timeline)
// and how it looks (ui/timeline).

import { asErrorInfo, ask } from '$lib/backend/backend';
import type { ErrorInfo } from '$lib/generated/ErrorInfo';
import type { Update } from '$lib/generated/Update';
import { Timeline } from '$lib/model/timeline/timeline';
import { preferences } from './preferences.svelte';
import type { OrionWindow } from './window.svelte';

export class Tracing {
  /** Grows by itself as spans come; `revision` tells that it did. */
  timeline: Timeline | null = $state.raw(null);
  revision = $state(0);
  failure: ErrorInfo | null = $state.raw(null);
  /** The span that is looked at. */
  chosen: number | null = $state(null);
  /** Its details are shown. */
  inspected = $state(false);
  /** What is pointed at, by its place in the chat. */
  lit: string | null = $state(null);
  /** Brings what is at a place of the chat into view there. */
  follow: (requestId: string, place: string) => void = () => {};
  /** Grows when the field of the list should have the keyboard. */
  searches = $state(0);
  /** Spans that came while older ones were asked for. */
  #fresh: Set<number> | null = null;

  constructor(private readonly orion: OrionWindow) {}

  /** Shows the list, with the keyboard in its field. */
  search(): void {
    preferences.trace = 'list';
    this.searches += 1;
  }

  /** Begins to follow a turn. */
  show(requestId: string): void {
    if (this.timeline?.requestId === requestId) return;
    this.timeline = new Timeline(requestId);
    [this.chosen, this.inspected, this.lit] = [null, false, null];
    void this.load();
  }

  /** Asks for all spans of the turn that is shown. */
  async load(): Promise<void> {
    const { timeline } = this;
    if (!timeline) return;
    this.failure = null;
    const fresh = (this.#fresh = new Set<number>());
    try {
      const { spans } = await ask(this.orion.backend, { type: 'trace', requestId: timeline.requestId });
      for (const span of spans) if (!fresh.has(span.spanId)) timeline.take(span);
      if (timeline === this.timeline) this.revision += 1;
    } catch (thrown) {
      if (timeline === this.timeline) this.failure = asErrorInfo(thrown);
    } finally {
      if (this.#fresh === fresh) this.#fresh = null;
    }
  }

  take(updates: readonly Update[]): void {
    const { timeline } = this;
    if (!timeline) return;
    let changed = false;
    for (const update of updates) {
      if (update.type !== 'span' || update.span.requestId !== timeline.requestId) continue;
      this.#fresh?.add(update.span.spanId);
      timeline.take(update.span);
      changed = true;
    }
    if (changed) this.revision += 1;
  }

  /** Lights what is shown at a place of the chat, or nothing. */
  light(requestId: string, place: string | null): void {
    if (this.timeline?.requestId === requestId) this.lit = place;
  }

  /** Chooses what is shown at a place of the chat, if its turn is the one that is shown here. Who reads the chat has not asked for its details. */
  reveal(requestId: string, place: string): void {
    const entry = this.timeline?.requestId === requestId ? this.timeline.at(place) : null;
    if (entry) this.chosen = entry.span.spanId;
  }
}
