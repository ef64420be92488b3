// Forks of turns (T9): another session whose first turn is the other one as far as a phase, and waits there.

import type { ForkedFrom } from '$lib/generated/ForkedFrom';
import type { Session } from '$lib/generated/Session';
import { session } from './fixtures';
import { pausedBefore } from './pauses';
import type { Recording } from './recording';

export class Forks {
  readonly #made = new Map<string, ForkedFrom>();

  /** The turn that a session was forked from, where this is its first. */
  of(requestId: string): ForkedFrom | null {
    return this.#made.get(requestId) ?? null;
  }

  make(
    recording: Recording,
    text: string,
    sessions: readonly Session[],
    phase: number,
  ): { made: Session; recording: Recording } {
    const { requestId, sessionId, projectId } = recording.ids;
    const title = sessions.find((other) => other.sessionId === sessionId)?.title ?? '';
    const number = this.#made.size + 1;
    const ids = { requestId: `t-fork-${number}`, sessionId: `s-fork-${number}`, projectId };
    const step = Math.floor(phase / 2);
    this.#made.set(ids.requestId, { sessionId, title, requestId, phase, step });
    return {
      made: session(ids.sessionId, projectId, `Fork${number === 1 ? '' : ` ${number}`}: ${title}`, 0),
      recording: pausedBefore(ids, text, Date.now(), step),
    };
  }
}
