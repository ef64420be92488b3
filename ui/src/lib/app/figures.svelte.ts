// Figures of the turns of a session, of a project, or of all: asked for when they are looked at. Not here: how they are ordered and drawn.

import { asErrorInfo, ask } from '$lib/backend/backend';
import type { ErrorInfo } from '$lib/generated/ErrorInfo';
import type { Figures } from '$lib/generated/Figures';
import type { FiguresOf } from '$lib/generated/FiguresOf';
import type { OrionWindow } from './window.svelte';

export type Scope = FiguresOf['type'];

export class FigureView {
  of: FiguresOf = $state.raw({ type: 'everything' });
  /** Null while they are on their way. */
  figures: Figures | null = $state.raw(null);
  failure: ErrorInfo | null = $state.raw(null);
  #asks = 0;

  constructor(private readonly orion: OrionWindow) {}

  /** What can be looked at: the open session and project where there is one. */
  scopes: Scope[] = $derived.by(() => {
    const { projectId, session } = this.orion;
    return [
      ...(session ? ['session' as const] : []),
      ...(projectId === null ? [] : ['project' as const]),
      'everything',
    ];
  });

  /** Opens them for a session or project; for the open one where none is named. */
  show(of: FiguresOf | null = null): void {
    this.orion.comparing.close();
    this.orion.overlay = { kind: 'figures' };
    void this.look(of ?? this.#ofScope(this.scopes[0] ?? 'everything'));
  }

  scope(scope: Scope): void {
    void this.look(this.#ofScope(scope));
  }

  async look(of: FiguresOf = this.of): Promise<void> {
    const asked = ++this.#asks;
    [this.of, this.figures, this.failure] = [of, null, null];
    try {
      const { figures } = await ask(this.orion.backend, { type: 'figures', of, sinceMs: null });
      if (asked === this.#asks) this.figures = figures;
    } catch (thrown) {
      if (asked === this.#asks) this.failure = asErrorInfo(thrown);
    }
  }

  /** Goes to a turn, in the chat and its trace. */
  go(sessionId: string, requestId: string): void {
    this.orion.overlay = { kind: 'none' };
    void this.orion.pages.open(sessionId, requestId).then(() => this.orion.showTrace(requestId));
  }

  #ofScope(scope: Scope): FiguresOf {
    const { projectId, sessionId } = this.orion;
    if (scope === 'session' && sessionId !== null) return { type: 'session', sessionId };
    return scope === 'project' && projectId !== null ? { type: 'project', projectId } : { type: 'everything' };
  }
}
