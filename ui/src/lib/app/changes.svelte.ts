// All files that a turn, or the open session, has written: the list, the one that is looked at, and undoing them. Not here: how it looks
// (ui/changes).

import { asErrorInfo, ask } from '$lib/backend/backend';
import type { ChangedFile } from '$lib/generated/ChangedFile';
import type { ChangesOf } from '$lib/generated/ChangesOf';
import type { ErrorInfo } from '$lib/generated/ErrorInfo';
import type { FileDifference } from '$lib/generated/FileDifference';
import * as app from '$lib/model/app';
import { writesOf } from '$lib/model/write';
import { Rows } from './rows.svelte';
import type { OrionWindow } from './window.svelte';

export class Changes {
  /** Of the whole session, else of the latest turn that wrote. */
  whole = $state(true);
  files: readonly ChangedFile[] | null = $state.raw(null);
  /** The path of the file whose difference is shown. */
  chosen: string | null = $state(null);
  difference: FileDifference | null = $state.raw(null);
  rows: Rows | null = $state.raw(null);
  failure: ErrorInfo | null = $state.raw(null);
  busy = $state(false);
  #asks = 0;

  /** The latest turn of those in memory that wrote a file. */
  turnId: string | null = $derived.by(
    () => this.orion.turns.findLast((turn) => writesOf(turn).length > 0)?.requestId ?? null,
  );
  /** Changes when the list has to be asked for again. */
  key: string = $derived.by(() => {
    const { sessionId, turns, filesRevision } = this.orion;
    const stages = turns.flatMap((turn) =>
      writesOf(turn).map(({ stage }) => (stage.kind === 'done' ? stage.undone.kind : stage.kind)),
    );
    return JSON.stringify([sessionId, this.whole ? null : this.turnId, filesRevision, stages]);
  });

  constructor(private readonly orion: OrionWindow) {}

  get of(): ChangesOf | null {
    const { sessionId } = this.orion;
    if (!this.whole) return this.turnId === null ? null : { type: 'turn', requestId: this.turnId };
    return sessionId === null ? null : { type: 'session', sessionId };
  }

  async load(): Promise<void> {
    const asked = ++this.#asks;
    const { of } = this;
    if (of === null) {
      [this.files, this.chosen, this.difference, this.rows] = [[], null, null, null];
      return;
    }
    try {
      const { files } = await ask(this.orion.backend, { type: 'changes', of });
      if (asked !== this.#asks) return;
      this.failure = null;
      this.files = files;
      const chosen = files.find(({ path }) => path === this.chosen) ?? files[0];
      await this.look(chosen?.path ?? null);
    } catch (thrown) {
      if (asked === this.#asks) this.failure = asErrorInfo(thrown);
    }
  }

  async look(path: string | null): Promise<void> {
    const asked = ++this.#asks;
    const { of } = this;
    this.chosen = path;
    if (path === null || of === null) {
      [this.difference, this.rows] = [null, null];
      return;
    }
    try {
      const { difference } = await ask(this.orion.backend, { type: 'change', of, path });
      if (asked !== this.#asks) return;
      const same = this.difference?.path === path && this.difference.digest === difference.digest;
      this.difference = difference;
      if (!same || this.rows === null)
        this.rows = new Rows(this.orion.backend, {
          changes: of,
          digest: difference.digest,
          path,
          total: difference.rows,
        });
    } catch (thrown) {
      if (asked === this.#asks) this.failure = asErrorInfo(thrown);
    }
  }

  /** Undoes what was written to a file, or everything, newest first (W7). */
  async undo(path: string | null): Promise<void> {
    const { of } = this;
    if (this.busy || of === null) return;
    this.busy = true;
    try {
      const outcome = await this.orion.backend.submit({ type: 'undo_changes', of, path });
      if (outcome.type === 'undone') this.orion.model = app.foldUndone(this.orion.model, outcome.writes);
      const refused = outcome.type === 'undone' ? outcome.writes.find(({ error }) => error !== null)?.error : null;
      await this.load();
      this.failure = refused ?? null;
    } catch (thrown) {
      this.failure = asErrorInfo(thrown);
    } finally {
      this.busy = false;
    }
  }
}
