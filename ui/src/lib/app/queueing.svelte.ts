// Messages of the open session that wait to be sent (A9). The core keeps them; what is shown here is on its disk. Not here: how they look
// (ui/composer/Queue.svelte).

import { ask } from '$lib/backend/backend';
import type { Queue } from '$lib/generated/Queue';
import type { Reply } from '$lib/generated/Reply';
import type { Update } from '$lib/generated/Update';
import type { OrionWindow } from './window.svelte';

const EMPTY: Queue = { messages: [], held: false };

export class Queueing {
  queue: Queue = $state.raw(EMPTY);
  #asks = 0;

  constructor(private readonly orion: OrionWindow) {}

  /** Another session is open now, or something was missed. */
  async load(): Promise<void> {
    const asked = ++this.#asks;
    const { sessionId } = this.orion;
    if (sessionId === null) {
      this.queue = EMPTY;
      return;
    }
    try {
      const { queue } = await ask(this.orion.backend, { type: 'queue', sessionId });
      if (asked === this.#asks) this.queue = queue;
    } catch {
      // It is asked for again with the next change.
    }
  }

  leave(): void {
    this.queue = EMPTY;
    void this.load();
  }

  take(updates: readonly Update[]): void {
    for (const update of updates) {
      if (update.type !== 'queue' || update.sessionId !== this.orion.sessionId) continue;
      this.#asks += 1;
      this.queue = update.queue;
    }
  }

  edit(queuedId: string, text: string): void {
    void this.orion.submit({ type: 'edit_queued', queuedId, text });
  }

  /** True when it has moved. */
  async move(queuedId: string, to: number): Promise<boolean> {
    return (await this.orion.submit({ type: 'move_queued', queuedId, to })) !== null;
  }

  remove(queuedId: string): void {
    void this.orion.submit({ type: 'remove_queued', queuedId });
  }

  /** Stops the turn that runs, and sends this message. */
  sendNow(queuedId: string): void {
    void this.orion.submit({ type: 'send_queued', queuedId });
  }

  /** Gives a message to the turn that runs (A9). One that it does not take waits for its end, and so does one that has attachments. */
  async steer(text: string): Promise<void> {
    const { orion } = this;
    const { running } = orion;
    if (!running || orion.sending || text.trim() === '' || orion.composing.files.files.length > 0)
      return void (await orion.send(text));
    orion.sending = true;
    orion.unsent = null;
    orion.takeDraft(text);
    let taken = false;
    try {
      await orion.backend.submit({ type: 'steer', requestId: running.requestId, text });
      taken = true;
    } catch {
      // It runs elsewhere, has ended, or only sums up.
    } finally {
      orion.sending = false;
    }
    if (taken) return;
    orion.returnDraft(text);
    await orion.send(text);
  }

  /** Stops the turn that runs, and sends what is in the composer. */
  async sendDraftNow(text: string): Promise<void> {
    const { orion } = this;
    const { sessionId, options } = orion;
    if (!orion.running || sessionId === null || orion.sending || text.trim() === '')
      return void (await orion.send(text));
    const attachments = [...orion.composing.files.files];
    orion.takeDraft(text);
    const putBack = orion.composing.files.leave(attachments);
    const outcome = await orion.submit({
      type: 'queue_message',
      sessionId,
      text,
      options: { ...options, mentions: true, ...(attachments.length > 0 && { attachments }) },
    });
    if (outcome?.type === 'queued') return this.sendNow(outcome.queuedId);
    orion.returnDraft(text);
    putBack();
  }

  /** Lets a held queue go on. */
  release(): void {
    const { sessionId } = this.orion;
    if (sessionId !== null) void this.orion.submit({ type: 'release_queue', sessionId });
  }

  /** One that stops the turn is a stop too. */
  async afterAnswer(reply: Reply): Promise<void> {
    const { sessionId } = this.orion;
    if (reply.type === 'reject' && reply.stop && sessionId !== null) await this.takeBack(sessionId);
  }

  /** After a stop: what waits goes back to the composer, before what is being written there. */
  async takeBack(sessionId: string): Promise<void> {
    const outcome = await this.orion.submit({ type: 'take_queue', sessionId });
    if (outcome?.type !== 'taken' || outcome.messages.length === 0) return;
    this.orion.composing.files.cameBack(
      sessionId,
      outcome.messages.flatMap(({ options }) => options.attachments ?? []),
    );
    await this.orion.composing.cameBack(
      sessionId,
      outcome.messages.map(({ text }) => text),
    );
  }
}
