// What a person chose for a session. It stays with the session, whatever they look at meanwhile; a new one has what the settings say.

import type { Endpoint } from '$lib/generated/Endpoint';
import type { TurnOptions } from '$lib/generated/TurnOptions';
import { NO_LIMITS } from '$lib/model/bounds';
import type { Turn } from '$lib/model/turn';
import { DEMO, FRESH_OPTIONS } from './options';

export class Chosen {
  /** By session; of a project, for the session that begins with its next message. */
  #kept = new Map<string, TurnOptions>();

  keep(of: string | null, options: TurnOptions): void {
    if (of !== null) this.#kept.set(of, options);
  }

  /** What was chosen and not sent yet, or seen before. */
  of(of: string | null): TurnOptions | null {
    return of === null ? null : (this.#kept.get(of) ?? null);
  }

  forget(of: string | null): void {
    if (of !== null) this.#kept.delete(of);
  }
}

/** What the latest turn of a session was sent with (X7). An endpoint that is gone was chosen in vain. */
export function chosenFor(turn: Turn | null, endpoints: readonly Endpoint[]): TurnOptions {
  const { chosen, choices } = turn?.start ?? { chosen: null, choices: null };
  const known = choices !== null && (choices.endpoint === null || choices.endpoint === DEMO || endpoints.some(({ name }) => name === choices.endpoint));
  const { endpoint, model } = known ? choices : FRESH_OPTIONS;
  const { mode, route, pauseAfterTool } = choices ?? FRESH_OPTIONS;
  return { ...FRESH_OPTIONS, mode, route, pauseAfterTool, endpoint, model, limits: chosen ?? NO_LIMITS };
}
