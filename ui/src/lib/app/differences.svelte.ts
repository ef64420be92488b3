// Files that were changed, by writes or commands: the list, the one that is looked at, and undoing them. Not here: whose they are, which each kind
// says itself, and how they look (ui/changes, ui/chat).

import { asErrorInfo, ask } from '$lib/backend/backend';
import type { ChangedFile } from '$lib/generated/ChangedFile';
import type { ChangesOf } from '$lib/generated/ChangesOf';
import type { ErrorInfo } from '$lib/generated/ErrorInfo';
import type { FileDifference } from '$lib/generated/FileDifference';
import * as app from '$lib/model/app';
import { Rows } from './rows.svelte';
import type { OrionWindow } from './window.svelte';

export abstract class Differences {
  files: readonly ChangedFile[] | null = $state.raw(null);
  /** The path of the file whose difference is shown. */
  chosen: string | null = $state(null);
  difference: FileDifference | null = $state.raw(null);
  rows: Rows | null = $state.raw(null);
  failure: ErrorInfo | null = $state.raw(null);
  busy = $state(false);
  #asks = 0;

  constructor(protected readonly orion: OrionWindow) {}

  abstract get of(): ChangesOf | null;

  /** The file that is looked at once the list is there. */
  protected next(files: readonly ChangedFile[]): ChangedFile | undefined {
    return files.find(({ path }) => path === this.chosen);
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
      await this.look(this.next(files)?.path ?? null);
    } catch (thrown) {
      if (asked === this.#asks) this.failure = asErrorInfo(thrown);
    }
  }

  async look(path: string | null): Promise<void> {
    const asked = ++this.#asks;
    const { of } = this;
    this.chosen = path;
    // What cannot be undone has no contents to compare.
    if (path === null || of === null || this.files?.find((file) => file.path === path)?.kept) {
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

  /** Undoes what was changed of a file, or everything, newest first (W7). */
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
