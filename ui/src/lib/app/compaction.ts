// Summing a conversation up so that the next turns have room, and what a person does with what stands in its place (X4).

import { ask } from '$lib/backend/backend';
import type { EntryView } from '$lib/generated/EntryView';
import * as app from '$lib/model/app';
import type { OrionWindow } from './window.svelte';

export class Compaction {
  constructor(readonly orion: OrionWindow) {}

  /** `insteadOf` is a compaction that came to nothing. */
  async begin(insteadOf: string | null = null): Promise<void> {
    const { sessionId, running, options } = this.orion;
    if (sessionId === null || running) return;
    await this.orion.submit({ type: 'compact', sessionId, options: { ...options, insteadOf } });
  }

  async entryOf(requestId: string): Promise<EntryView> {
    return (await ask(this.orion.backend, { type: 'entry', requestId })).view;
  }

  /** True when it is saved. */
  async edit(requestId: string, summary: string): Promise<boolean> {
    const saved = (await this.orion.submit({ type: 'edit_entry', requestId, summary })) !== null;
    if (saved) await this.orion.room.load();
    return saved;
  }

  async undo(requestId: string): Promise<void> {
    const outcome = await this.orion.submit({ type: 'undo_compaction', requestId });
    if (outcome) this.orion.model = app.foldCompactionUndone(this.orion.model, requestId);
  }
}
