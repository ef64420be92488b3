// What fills the model's room in the open session: of the turn that runs, else of the model that would answer next. Not here: how it looks (ui/composer).

import { ask } from '$lib/backend/backend';
import { still } from '$lib/model/edits';
import type { ContextEdit } from '$lib/generated/ContextEdit';
import type { ContextView } from '$lib/generated/ContextView';
import { keepEdits, keptEdits } from './kept';
import type { OrionWindow } from './window.svelte';

export class Room {
  /** Null while nothing is known: a new chat, no model, a folder that is gone. */
  view: ContextView | null = $state.raw(null);
  /** What the next message takes out or pins. */
  edits: readonly ContextEdit[] = $state.raw([]);
  #asked = 0;

  /** Changes when the view has to be asked for again: with the session, what a turn adds, its end, and the choices for the next one. */
  key: string = $derived.by(() => {
    const { sessionId, latest, options, settings, inForce, mode, route } = this.orion;
    const model = settings?.endpoints.find(({ name }) => name === (options.endpoint ?? settings.defaultEndpoint))?.model;
    return JSON.stringify([sessionId, latest?.requestId, latest?.filledSeq, latest?.end === null, options, model, settings?.defaultEndpoint, inForce.limits, mode, route]);
  });

  constructor(private readonly orion: OrionWindow) {}

  /** Chooses what the next message takes out or pins; kept until it is sent, also over a restart. */
  edit(edits: readonly ContextEdit[]): void {
    const { sessionId } = this.orion;
    if (sessionId === null) return;
    this.edits = edits;
    keepEdits(sessionId, edits);
    void this.load();
  }

  /** Asks again. What a person sees stays until the answer is there, as long as it is of the same session. */
  async load(): Promise<void> {
    const { backend, sessionId, options, ready } = this.orion;
    const asked = ++this.#asked;
    const kept = sessionId === null ? [] : keptEdits(sessionId);
    if (JSON.stringify(kept) !== JSON.stringify(this.edits)) this.edits = kept;
    if (sessionId === null || !ready) {
      this.view = null;
      return;
    }
    try {
      const { view } = await ask(backend, { type: 'context', sessionId, options: { ...options, edits: [...this.edits] } });
      if (asked !== this.#asked) return;
      this.view = view;
      this.edits = still(this.edits, view);
    } catch {
      // A message that is sent says what is wrong; a meter is no place for it.
      if (asked === this.#asked) this.view = null;
    }
  }
}
