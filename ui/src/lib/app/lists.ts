// The lists of projects and sessions: naming, pinning, putting away and deleting what is in them, and older sessions.

import { ask } from '$lib/backend/backend';
import type { Outcome } from '$lib/generated/Outcome';
import * as app from '$lib/model/app';
import type { OrionWindow } from './window.svelte';

export class Lists {
  constructor(readonly orion: OrionWindow) {}

  rename(sessionId: string, title: string): void {
    if (title.trim() !== '') void this.orion.submit({ type: 'rename_session', sessionId, title: title.trim() });
  }

  /** One after the other; the first that cannot be deleted is told, and ends it. */
  async deleteSessions(sessionIds: readonly string[]): Promise<void> {
    for (const sessionId of sessionIds) {
      const outcome = await this.orion.submit({ type: 'delete_session', sessionId });
      if (outcome === null) return;
      this.orion.take([{ type: 'session_deleted', sessionId }]);
      this.#sayWhatRemains(outcome);
    }
  }

  /** One in which nothing was said. If it stays, it is only in the way. */
  async deleteEmpty(sessionId: string): Promise<void> {
    try {
      await this.orion.backend.submit({ type: 'delete_session', sessionId });
      this.orion.take([{ type: 'session_deleted', sessionId }]);
    } catch {
      // As above.
    }
  }

  async pin(sessionIds: readonly string[], pinned: boolean): Promise<void> {
    for (const sessionId of sessionIds)
      if ((await this.orion.submit({ type: 'pin_session', sessionId, pinned })) === null) return;
  }

  async archive(sessionIds: readonly string[], archived: boolean): Promise<void> {
    for (const sessionId of sessionIds)
      if ((await this.orion.submit({ type: 'archive_session', sessionId, archived })) === null) return;
  }

  async forgetProject(projectId: string): Promise<void> {
    const outcome = await this.orion.submit({ type: 'forget_project', projectId });
    if (outcome === null) return;
    this.orion.take([{ type: 'project_forgotten', projectId }]);
    this.#sayWhatRemains(outcome);
  }

  /** Brings sessions of a project that are older than those that are known. */
  async loadOlder(projectId: string): Promise<void> {
    const { orion } = this;
    await orion.attempt(async () => {
      const after = orion.model.older[projectId] ?? null;
      const { sessions, more } = await ask(orion.backend, { type: 'sessions', projectId, after });
      orion.model = app.foldOlder(orion.model, projectId, sessions, more);
    });
  }

  #sayWhatRemains(outcome: Outcome): void {
    if (outcome.type === 'deleted' && outcome.remains) this.orion.problem(outcome.remains);
  }
}
