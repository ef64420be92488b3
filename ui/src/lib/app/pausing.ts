// Pausing the turn that runs (A2). Resuming it is an answer (answers.ts).

import type { OrionWindow } from './window.svelte';

export class Pausing {
  constructor(readonly orion: OrionWindow) {}

  /** After each of its steps from now on, or no longer. */
  afterTools(on: boolean): void {
    const { running } = this.orion;
    if (running)
      void this.orion.submit({ type: 'pause_turn', requestId: running.requestId, pause: { type: 'after_tools', on } });
  }

  /** After the step; once that was asked for, at once. */
  pause(): void {
    const { running } = this.orion;
    if (running)
      void this.orion.submit({
        type: 'pause_turn',
        requestId: running.requestId,
        pause: { type: running.pausing.next ? 'now' : 'next' },
      });
  }
}
