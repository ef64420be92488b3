// The choices of a person for a session (0074). They stay with the session, whatever the person looks at meanwhile; a new one has what the settings
// say. `turn_started` names them (`TurnChoices`). Not here: how they differ from the settings (differs.ts).

import type { Endpoint } from '$lib/generated/Endpoint';
import type { TurnOptions } from '$lib/generated/TurnOptions';
import { NO_LIMITS } from '$lib/model/bounds';
import type { Turn } from '$lib/model/turn';
import { DEMO, FRESH_OPTIONS } from './options';
import type { OrionWindow } from './window.svelte';

export class Chosen {
  /** By session; of a project, for the session that begins with its next message. */
  #kept = new Map<string, TurnOptions>();

  constructor(private readonly orion: OrionWindow) {}

  /** Before the person looks at something else. */
  keep(): void {
    if (this.#of !== null) this.#kept.set(this.#of, this.orion.options);
  }

  /** What was chosen for what the person looks at now, as far as it is known. */
  take(): void {
    this.orion.options = (this.#of === null ? null : this.#kept.get(this.#of)) ?? this.#fresh();
  }

  /** The turns of the session are there: what is not known from before is what its latest turn was sent with. */
  opened(): void {
    if (this.#of === null || this.#kept.has(this.#of)) return;
    const chosen = chosenFor(this.orion.latest, this.orion.endpoints);
    this.orion.options = { ...chosen, endpoint: chosen.endpoint ?? this.#fresh().endpoint };
  }

  /** A session has begun with what was chosen for it, and the next one of the project begins afresh. */
  begun(projectId: string): void {
    this.#kept.delete(projectId);
  }

  /** The settings decide again. */
  nothing(): void {
    this.orion.options = { ...this.#fresh(), edits: this.orion.options.edits };
  }

  get #of(): string | null {
    return this.orion.sessionId ?? this.orion.projectId;
  }

  /** Nothing chosen. The demo stays where there is nothing else to answer. */
  #fresh(): TurnOptions {
    const { options, settings } = this.orion;
    return options.endpoint === DEMO && settings?.defaultEndpoint == null
      ? { ...FRESH_OPTIONS, endpoint: DEMO }
      : FRESH_OPTIONS;
  }
}

/** What the latest turn of a session was sent with (X7). An endpoint that is gone was chosen in vain. */
export function chosenFor(turn: Turn | null, endpoints: readonly Endpoint[]): TurnOptions {
  const { chosen, choices } = turn?.start ?? { chosen: null, choices: null };
  const known =
    choices !== null &&
    (choices.endpoint === null || choices.endpoint === DEMO || endpoints.some(({ name }) => name === choices.endpoint));
  const { endpoint, model } = known ? choices : FRESH_OPTIONS;
  const { mode, route, pauseAfterTool } = choices ?? FRESH_OPTIONS;
  return { ...FRESH_OPTIONS, mode, route, pauseAfterTool, endpoint, model, limits: chosen ?? NO_LIMITS };
}
