// Going back to an earlier message: what would change, doing it, and undoing it (A10). Not here: how it looks (ui/rewind).

import { asErrorInfo, ask } from '$lib/backend/backend';
import type { ErrorInfo } from '$lib/generated/ErrorInfo';
import type { Op } from '$lib/generated/Op';
import type { Rewind } from '$lib/generated/Rewind';
import type { RewindPreview } from '$lib/generated/RewindPreview';
import * as app from '$lib/model/app';
import { turnOf } from '$lib/model/chat';
import type { OrionWindow } from './window.svelte';

export class Rewinding {
  /** What the dialog shows; null until the core has told. */
  preview: RewindPreview | null = $state.raw(null);
  failure: ErrorInfo | null = $state.raw(null);
  busy = $state(false);
  /** The last rewind of the open session, or its undoing, until a message follows or a person has read it. */
  last: Rewind | null = $state.raw(null);
  #asks = 0;

  constructor(private readonly orion: OrionWindow) {}

  async look(requestId: string): Promise<void> {
    const asked = ++this.#asks;
    this.orion.overlay = { kind: 'rewind', requestId };
    this.preview = null;
    this.failure = null;
    try {
      const { preview } = await ask(this.orion.backend, { type: 'rewind', requestId });
      if (asked === this.#asks) this.preview = preview;
    } catch (thrown) {
      if (asked === this.#asks) this.failure = asErrorInfo(thrown);
    }
  }

  async go(conversation: boolean, files: boolean): Promise<void> {
    const { preview } = this;
    if (!preview) return;
    const { requestId, digest } = preview;
    const text = turnOf(this.orion.chat, requestId)?.start?.text ?? '';
    const rewind = await this.#submit({ type: 'rewind', requestId, conversation, files: files ? digest : null });
    if (!rewind) return;
    this.orion.overlay = { kind: 'none' };
    // The message is there to be changed and sent again.
    if (conversation && this.orion.draft.trim() === '') this.orion.draft = text;
    this.orion.focusComposer();
  }

  async undo(): Promise<void> {
    if (this.last === null) return;
    const { requestId, conversation } = this.last;
    const text = this.orion.draft;
    const rewind = await this.#submit({ type: 'undo_rewind', requestId });
    if (this.failure) this.orion.problem(this.failure);
    // The button that had the keyboard is gone.
    if (rewind) this.orion.focusComposer();
    // What was put into the message box comes back with its turn.
    if (rewind && conversation) {
      await this.orion.pages.newest();
      if (text !== '' && text === turnOf(this.orion.chat, requestId)?.start?.text) this.orion.draft = '';
    }
  }

  /** Of the session that is open now. */
  load(): Promise<void> {
    this.last = null;
    return this.#ask();
  }

  /** Another process may have undone what is offered here to be undone, or sent a message after it. */
  async missed(): Promise<void> {
    if (this.last && !this.last.undone) await this.#ask();
  }

  async #ask(): Promise<void> {
    const { last } = this;
    const { sessionId } = this.orion;
    if (sessionId === null) return;
    await this.orion.attempt(async () => {
      const { rewind } = await ask(this.orion.backend, { type: 'last_rewind', sessionId });
      // What happened here meanwhile is newer than the answer.
      if (this.orion.sessionId === sessionId && this.last === last) this.last = rewind;
    });
  }

  async #submit(op: Op): Promise<Rewind | null> {
    if (this.busy) return null;
    this.busy = true;
    this.failure = null;
    const { sessionId } = this.orion;
    try {
      const outcome = await this.orion.backend.submit(op);
      if (outcome.type !== 'rewound') throw new Error(`The reply to ${op.type} was ${outcome.type}.`);
      if (this.orion.sessionId === sessionId) this.last = outcome.rewind;
      this.orion.model = app.foldRewound(this.orion.model, outcome.rewind);
      return outcome.rewind;
    } catch (thrown) {
      this.failure = asErrorInfo(thrown);
      return null;
    } finally {
      this.busy = false;
    }
  }
}
