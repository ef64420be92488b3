// The primary action of what a turn waits for, as the keyboard does it. Its button says that it is the one (`data-primary`), and while that is disabled
// nothing else does the same. Not here: which keys (shortcuts.ts).

import type { OrionWindow } from './window.svelte';

/** Null while there is no such action, or while nobody can have seen what it is about. */
export const primaryButton = (): HTMLButtonElement | null =>
  document.querySelector('button[data-primary]:not(:disabled)');

export class Primary {
  /** The text for which the keys did nothing, and what waited then. */
  #held: { draft: string; requestId: string; seq: number } | null = $state.raw(null);
  /** The keys did nothing, because of the text in the message box that is still there. */
  held = $derived.by(() => {
    const { draft, running } = this.orion;
    return (
      this.#held !== null &&
      this.#held.draft === draft &&
      this.#held.requestId === running?.requestId &&
      this.#held.seq === running.seq
    );
  });

  constructor(private readonly orion: OrionWindow) {}

  hold(): void {
    const { draft, running } = this.orion;
    if (running) this.#held = { draft, requestId: running.requestId, seq: running.seq };
  }
}
