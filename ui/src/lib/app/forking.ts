// Forking a turn into a session of its own (T9).

import { foldAll } from '$lib/model/app';
import type { OrionWindow } from './window.svelte';

export class Forking {
  constructor(private readonly orion: OrionWindow) {}

  /** Opens the fork. It waits there to be resumed. */
  async fork(requestId: string, phase: number): Promise<void> {
    const outcome = await this.orion.submit({ type: 'fork', requestId, phase });
    if (outcome?.type !== 'forked') return;
    this.orion.model = foldAll(this.orion.model, [{ type: 'session', session: outcome.session }]);
    await this.orion.openSession(outcome.session.sessionId);
  }
}
