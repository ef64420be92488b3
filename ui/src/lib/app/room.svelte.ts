// What fills the model's room in the open session: of the turn that runs, else of the model that would answer next. Not here: how it looks (ui/composer).

import { ask } from '$lib/backend/backend';
import { still } from '$lib/model/edits';
import type { ContextEdit } from '$lib/generated/ContextEdit';
import type { ContextView } from '$lib/generated/ContextView';
import type { OrionWindow } from './window.svelte';

export class Room {
  /** Null while nothing is known: a new session, no model, a folder that is gone. */
  view: ContextView | null = $state.raw(null);
  /** What the next message takes out or pins. */
  edits: readonly ContextEdit[] = $state.raw([]);
  #asked = 0;
  /** The session that the edits are of. */
  #of: string | null = null;

  /**
   * Changes when the view has to be asked for again: with the session, what a turn adds, its end, what happens to turns
   * after their end, and the choices for the next one.
   */
  key: string = $derived.by(() => {
    const {
      sessionId,
      latest,
      options,
      settings,
      inForce,
      mode,
      route,
      model: { aftermathRevision },
    } = this.orion;
    const named = settings?.endpoints.find(
      ({ name }) => name === (options.endpoint ?? settings.defaultEndpoint),
    )?.model;
    return JSON.stringify([
      sessionId,
      latest?.requestId,
      latest?.filledSeq,
      latest?.end === null,
      options,
      aftermathRevision,
      named,
      settings?.defaultEndpoint,
      inForce.limits,
      mode,
      route,
    ]);
  });

  constructor(private readonly orion: OrionWindow) {}

  /** Chooses what the next message takes out or pins. It is kept with the session, and shown at once. */
  async edit(edits: readonly ContextEdit[]): Promise<void> {
    const { sessionId } = this.orion;
    if (sessionId === null) return;
    this.edits = edits;
    // An answer that is on its way has what was kept before.
    this.#asked += 1;
    await this.orion.submit({ type: 'edit_context', sessionId, edits: [...edits] });
    await this.load();
  }

  /** Asks again. What a person sees stays until the answer is there, as long as it is of the same session. */
  async load(): Promise<void> {
    const { backend, sessionId, options, ready } = this.orion;
    const asked = ++this.#asked;
    if (sessionId !== this.#of) [this.#of, this.edits] = [sessionId, []];
    if (sessionId === null || !ready) {
      this.view = null;
      return;
    }
    try {
      const { view } = await ask(backend, { type: 'context', sessionId, options });
      if (asked !== this.#asked) return;
      this.view = view;
      this.edits = still(view.edits, view);
    } catch {
      // A message that is sent says what is wrong; a meter is no place for it.
      if (asked === this.#asked) this.view = null;
    }
  }
}
