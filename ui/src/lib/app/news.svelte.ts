// How turns ended in sessions that nobody looked at: the list says so until the session is opened.

import type { Envelope } from '$lib/generated/Envelope';
import type { Happened } from '$lib/generated/Happened';
import type { Session } from '$lib/generated/Session';
import type { TurnReport } from '$lib/generated/TurnReport';
import { unwritten } from '$lib/model/unwritten';

export type Ended = 'done' | 'not_written' | 'no_answer' | 'failed';

/** What is news of a session whose turn another process ran. */
const ENDED: Readonly<Record<Happened['type'], Ended | null>> = {
  running: null,
  waiting: null,
  interrupted: null,
  answered: 'done',
  summarized: 'done',
  wrote: 'done',
  not_written: 'not_written',
  rejected: 'done',
  empty: 'no_answer',
  cut_off: 'done',
  stopped: null,
  failed: 'failed',
};

function cameTo({ stopReason, writes }: TurnReport): Ended {
  if (stopReason === 'empty') return 'no_answer';
  return unwritten(writes) === 'not_written' ? 'not_written' : 'done';
}

export class News {
  #of: Readonly<Record<string, Ended>> = $state.raw({});

  of(sessionId: string): Ended | null {
    return this.#of[sessionId] ?? null;
  }

  take(events: readonly Envelope[], openId: string | null): void {
    for (const { sessionId, event } of events) {
      if (event.type === 'turn_started') this.seen(sessionId);
      const ended = event.type === 'completed' ? cameTo(event.report) : event.type === 'failed' ? 'failed' : null;
      if (ended !== null && sessionId !== openId) this.#of = { ...this.#of, [sessionId]: ended };
    }
  }

  /** The sessions as they were and as they are told again: a turn of another process may have ended. */
  compare(before: readonly Session[], now: readonly Session[], openId: string | null): void {
    const known = new Map(before.map((session) => [session.sessionId, session]));
    for (const { sessionId, updatedAtMs, happened } of now) {
      const old = known.get(sessionId);
      if (!old || sessionId === openId || old.updatedAtMs >= updatedAtMs) continue;
      const ended = happened && ENDED[happened.type];
      if (ended) this.#of = { ...this.#of, [sessionId]: ended };
    }
  }

  seen(sessionId: string): void {
    if (!(sessionId in this.#of)) return;
    this.#of = Object.fromEntries(Object.entries(this.#of).filter(([known]) => known !== sessionId));
  }
}
