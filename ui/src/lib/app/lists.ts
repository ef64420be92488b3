// The lists of projects and sessions: naming and deleting what is in them, and older sessions.

import { ask } from '$lib/backend/backend';
import type { Reply } from '$lib/generated/Reply';
import * as app from '$lib/model/app';
import type { OrionWindow } from './window.svelte';

export class Lists {
  constructor(readonly orion: OrionWindow) {}

  rename(sessionId: string, title: string): void {
    if (title.trim() !== '') void this.orion.submit({ type: 'rename_session', sessionId, title: title.trim() });
  }

  async deleteSession(sessionId: string): Promise<void> {
    const reply = await this.orion.submit({ type: 'delete_session', sessionId });
    if (reply === null) return;
    this.orion.take([{ type: 'session_deleted', sessionId }]);
    this.#sayWhatRemains(reply);
  }

  async forgetProject(projectId: string): Promise<void> {
    const reply = await this.orion.submit({ type: 'forget_project', projectId });
    if (reply === null) return;
    this.orion.take([{ type: 'project_forgotten', projectId }]);
    this.#sayWhatRemains(reply);
  }

  /** Brings sessions of a project that are older than those that are known. */
  async loadOlder(projectId: string): Promise<void> {
    const { orion } = this;
    await orion.attempt(async () => {
      const last = app.sessionsOf(orion.model.sessions, projectId).at(-1);
      const after = last ? { updatedAtMs: last.updatedAtMs, sessionId: last.sessionId } : null;
      const { sessions, more } = await ask(orion.backend, { type: 'sessions', projectId, after });
      orion.model = app.foldOlder(orion.model, projectId, sessions, more);
    });
  }

  #sayWhatRemains(reply: Reply): void {
    if (reply.type === 'deleted' && reply.remains) this.orion.problem(reply.remains);
  }
}
