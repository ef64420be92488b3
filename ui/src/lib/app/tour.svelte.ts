// The tour: a real turn of the demo model in the sample folder, and the places of the window that it points at. Not here: how it points
// (ui/welcome/Tour.svelte), what it says (words).

import type { words } from '$lib/words';
import { DEMO, FRESH_OPTIONS } from './options';
import { preferences } from './preferences.svelte';
import type { OrionWindow } from './window.svelte';

export type TourPart = keyof typeof words.tour.parts;

export const PARTS: readonly TourPart[] = ['ask', 'step', 'limit', 'preview', 'answer', 'trace'];

/** What each part points at: the first of these that is there, and of several the last. */
export const ANCHORS: Record<TourPart, readonly string[]> = {
  ask: ['[data-tour=ask]'],
  step: ['[data-testid=tool-box], [data-testid=fold][data-fold]', '[data-testid=write-box]'],
  limit: ['[data-testid=phase-bar]', '[data-testid=bound]'],
  preview: ['[data-keys=review]'],
  answer: ['[data-testid=answer]'],
  trace: ['[data-tour=trace]'],
};

export class Tour {
  /** Null while there is no tour. */
  part: TourPart | null = $state(null);

  constructor(private readonly orion: OrionWindow) {}

  get number(): number {
    return this.part === null ? 0 : PARTS.indexOf(this.part) + 1;
  }

  /** The write of the tour waits for the person. */
  get waits(): boolean {
    return this.orion.review.asked !== null;
  }

  /** Its turn has come to its end. */
  get over(): boolean {
    return this.orion.running === null && this.orion.latest !== null;
  }

  async start(): Promise<void> {
    const { orion } = this;
    const project = await orion.opened({ type: 'open_sample' });
    if (!project) return;
    orion.options = { ...FRESH_OPTIONS, endpoint: DEMO, mode: 'act' };
    this.part = 'ask';
  }

  next(): void {
    if (this.part === 'trace') return this.finish();
    // A turn that asks for nothing has no preview to show.
    const steps = this.over && this.part === 'limit' && !this.waits ? 2 : 1;
    this.#go(steps);
  }

  back(): void {
    this.#go(this.part === 'answer' && !this.waits ? -2 : -1);
  }

  #go(by: number): void {
    if (this.part === null) return;
    this.part = PARTS[PARTS.indexOf(this.part) + by] ?? this.part;
    if (this.part === 'preview' && this.waits) this.orion.review.show(this.orion.review.asked, false);
    if (this.part === 'trace' && this.orion.latest) this.orion.showTrace(this.orion.latest.requestId);
  }

  finish(): void {
    preferences.toured = true;
    this.leave();
  }

  /** The demo answers on only where there is nothing else. */
  leave(): void {
    const { orion } = this;
    this.part = null;
    if (orion.settings?.defaultEndpoint != null) orion.options = { ...orion.options, endpoint: null, mode: null };
    orion.focusComposer();
  }
}
