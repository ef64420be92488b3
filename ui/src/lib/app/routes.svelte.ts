// One message by both routes (P2, T9): the question before it, and the two turns, which run one after the other. Not here: how they look
// (ui/routes).

import { asErrorInfo, ask } from '$lib/backend/backend';
import type { Comparison } from '$lib/generated/Comparison';
import type { CopySize } from '$lib/generated/CopySize';
import type { Envelope } from '$lib/generated/Envelope';
import type { ErrorInfo } from '$lib/generated/ErrorInfo';
import type { Update } from '$lib/generated/Update';
import { foldAll } from '$lib/model/app';
import { isRunning, waitsForPerson } from '$lib/model/status';
import { emptyTurn, foldEnvelope, type Turn } from '$lib/model/turn';
import type { OrionWindow } from './window.svelte';

/** The order of the routes, and of the columns. */
const ROUTES: Comparison['sides'][number]['route'][] = ['two_stage', 'unified'];

export class Routes {
  /** The turn whose message it is. */
  requestId: string | null = $state(null);
  /** How large a copy of the folder is; null until that is known. */
  size: CopySize | null = $state.raw(null);
  /** Why there can be no copy. */
  noCopy: ErrorInfo | null = $state.raw(null);
  failure: ErrorInfo | null = $state.raw(null);
  busy = $state(false);
  comparison: Comparison | null = $state.raw(null);
  /** What has happened in each session. */
  turns: readonly (Turn | null)[] = $state.raw([]);
  /** Sessions in which the message was sent. */
  begun = $state(0);
  /** Sessions whose copy is gone. */
  removed: ReadonlySet<string> = $state.raw(new Set());
  /** The person stopped it: nothing more begins. */
  stopped = $state(false);
  running: Turn | null = $derived(
    this.turns.findLast((turn) => turn !== null && isRunning(turn) && !waitsForPerson(turn)) ?? null,
  );

  constructor(private readonly orion: OrionWindow) {}

  /** Opens the dialog: with what runs or came of it, where that is of this message, and else with the question. */
  async look(requestId: string): Promise<void> {
    this.orion.overlay = { kind: 'routes', requestId };
    if (this.requestId === requestId && this.comparison !== null) return;
    // What runs goes on; its sessions are in the list.
    [
      this.requestId,
      this.size,
      this.noCopy,
      this.failure,
      this.comparison,
      this.turns,
      this.begun,
      this.stopped,
      this.removed,
    ] = [requestId, null, null, null, null, [], 0, false, new Set()];
    try {
      const { size } = await ask(this.orion.backend, { type: 'copy_size', requestId });
      if (this.requestId === requestId) this.size = size;
    } catch (thrown) {
      if (this.requestId === requestId) this.noCopy = asErrorInfo(thrown);
    }
  }

  /** Asks again, as if nothing had been compared. */
  anew(): void {
    const { requestId } = this;
    this.requestId = null;
    if (requestId !== null) void this.look(requestId);
  }

  /** With a copy of the folder for each, of no more bytes than were shown, and half as many again: files may have grown since. */
  async begin(inCopies: boolean): Promise<void> {
    const { requestId, size } = this;
    if (this.busy || requestId === null) return;
    this.busy = true;
    this.failure = null;
    try {
      const copyAtMost = inCopies ? Math.ceil((size?.bytes ?? 0) * 1.5) : null;
      const outcome = await this.orion.backend.submit({ type: 'compare', requestId, routes: ROUTES, copyAtMost });
      if (outcome.type !== 'compared') throw new Error(`The reply to compare was ${outcome.type}.`);
      const { comparison } = outcome;
      this.orion.model = foldAll(
        this.orion.model,
        comparison.sides.map(({ session }): Update => ({ type: 'session', session })),
      );
      if (this.requestId !== requestId) return;
      [this.comparison, this.turns, this.begun] = [comparison, comparison.sides.map(() => null), 0];
      await this.#next();
    } catch (thrown) {
      this.failure = asErrorInfo(thrown);
    } finally {
      this.busy = false;
    }
  }

  /** Ends the turn that runs. A session in which nothing began goes. */
  async stop(): Promise<void> {
    this.stopped = true;
    for (const { session } of this.comparison?.sides.slice(this.begun) ?? []) {
      await this.orion.submit({ type: 'delete_session', sessionId: session.sessionId });
      this.removed = new Set([...this.removed, session.sessionId]);
    }
    if (this.running) await this.orion.submit({ type: 'stop_turn', requestId: this.running.requestId });
  }

  /** Goes to one of the sessions. */
  async open(sessionId: string): Promise<void> {
    this.orion.overlay = { kind: 'none' };
    await this.orion.openSession(sessionId);
  }

  take(events: readonly Envelope[]): void {
    const { comparison } = this;
    const own = events.filter((event) =>
      comparison?.sides.some(({ session }) => session.sessionId === event.sessionId),
    );
    if (!comparison || own.length === 0) return;
    this.turns = comparison.sides.map(({ session }, index) =>
      own
        .filter((event) => event.sessionId === session.sessionId)
        .reduce<Turn | null>((turn, event) => this.#fold(turn, event), this.turns[index] ?? null),
    );
    for (const [index, { session, copy }] of comparison.sides.entries()) {
      if (copy !== null && this.turns[index]?.end && !this.removed.has(session.sessionId))
        void this.#remove(session.sessionId);
    }
    const current = this.turns[this.begun - 1];
    if (current && (!isRunning(current) || waitsForPerson(current))) void this.#next();
  }

  /** Updates were lost: what the turn that runs has said since. */
  async load(): Promise<void> {
    const turn = this.turns[this.begun - 1];
    if (!turn) return;
    await this.orion.attempt(async () => {
      const { envelopes } = await ask(this.orion.backend, {
        type: 'events',
        requestId: turn.requestId,
        afterSeq: turn.seq,
      });
      this.take(envelopes);
    });
  }

  /** A later message of the session is no part of it. */
  #fold(turn: Turn | null, event: Envelope): Turn {
    return turn !== null && turn.requestId !== event.requestId ? turn : foldEnvelope(turn ?? emptyTurn(event), event);
  }

  /** What its turn wrote is in the session. */
  async #remove(sessionId: string): Promise<void> {
    this.removed = new Set([...this.removed, sessionId]);
    await this.orion.submit({ type: 'remove_copy', sessionId });
  }

  async #next(): Promise<void> {
    const side = this.comparison?.sides[this.begun];
    if (!side || !this.comparison || this.stopped) return;
    this.begun += 1;
    try {
      await this.orion.backend.submit({
        type: 'start_turn',
        sessionId: side.session.sessionId,
        text: this.comparison.text,
        options: side.options,
      });
    } catch (thrown) {
      this.failure = asErrorInfo(thrown);
      // Nothing began in this session, nor will in those after it.
      this.begun -= 1;
      await this.stop();
    }
  }
}
