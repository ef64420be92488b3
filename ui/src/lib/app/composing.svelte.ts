// What a message is made from before it is sent: drafts, earlier messages, and the person's own prompts. Not here: the field (ui/composer).

import { untrack } from 'svelte';
import { ask } from '$lib/backend/backend';
import type { DraftOf } from '$lib/generated/DraftOf';
import type { DroppedFiles } from '$lib/generated/DroppedFiles';
import type { Prompt } from '$lib/generated/Prompt';
import { Recall } from '$lib/model/recall';
import { Drafts } from './drafts';
import { Attachments } from './attachments.svelte';
import type { OrionWindow } from './window.svelte';

/** Earlier messages that come back with the arrow keys. */
const EARLIER = 200;

export class Composing {
  prompts: readonly Prompt[] = $state.raw([]);
  /** Models of the endpoint of the next turn, once somebody asked for one. */
  models: readonly string[] = $state.raw([]);
  readonly recall = new Recall();
  /** The attachments that are not of the project. */
  readonly files: Attachments;
  readonly #drafts: Drafts;
  #place: DraftOf | null = null;
  #modelsOf: string | null = null;

  constructor(private readonly orion: OrionWindow) {
    this.#drafts = new Drafts(orion.backend);
    this.files = new Attachments(orion.backend, (thrown) => orion.problem(thrown));
  }

  /** What is in the composer is kept where the person is. */
  changed(): void {
    if (this.#place) this.#drafts.changed(this.#place, this.orion.draft);
  }

  /** A message left the composer: nothing of it is to stay behind. One that began a session was written in its project. */
  sent(): void {
    const before = this.#place;
    const now = this.#settle();
    if (before && now && !same(before, now)) {
      this.#drafts.changed(before, '');
      this.files.began(before, now);
    }
    this.changed();
    this.flush();
  }

  /** Keeps at once what is not kept yet. */
  flush(): void {
    this.#drafts.flush();
  }

  /** The person is somewhere else: what was being written there comes back, and what was here stays here. */
  async moved(): Promise<void> {
    const before = this.#place;
    this.changed();
    this.flush();
    const place = this.#settle();
    if (same(before, place)) return;
    this.recall.leave();
    this.orion.draft = '';
    this.files.moved(place);
    if (!place) return;
    const text = await this.#drafts.of(place);
    // Somebody may have written or gone on meanwhile.
    if (this.#place === place && this.orion.draft === '') this.orion.draft = text;
  }

  /** Messages that waited in a session come before what is being written there, wherever the person is by now. */
  async cameBack(sessionId: string, texts: readonly string[]): Promise<void> {
    const of: DraftOf = { type: 'session', sessionId };
    const before = (draft: string) => [...texts, draft].filter((text) => text.trim() !== '').join('\n\n');
    const kept = same(of, this.#place) ? '' : await this.#drafts.of(of);
    if (same(of, this.#place)) this.orion.draft = before(this.orion.draft);
    else this.#drafts.changed(of, before(kept));
  }

  /** What the person dropped on the window goes to the message, where one is written and no dialog lies over it. */
  drop(dropped: DroppedFiles): void {
    if (!this.orion.writes || document.querySelector('.modal-scrim') !== null) return;
    this.files.take(dropped);
    this.orion.focusComposer();
  }

  #settle(): DraftOf | null {
    const { sessionId, projectId } = this.orion;
    this.#place =
      sessionId !== null ? { type: 'session', sessionId } : projectId !== null ? { type: 'project', projectId } : null;
    return this.#place;
  }

  /** The last messages of the project, the newest first; none where they cannot be read. */
  async earlier(): Promise<string[]> {
    const { projectId } = this.orion;
    if (projectId === null) return [];
    try {
      return (await ask(this.orion.backend, { type: 'messages', projectId, limit: EARLIER })).messages;
    } catch {
      return []; // The key then does nothing, as where there are none.
    }
  }

  /** Looks at the folder of prompts again: its files are changed elsewhere. */
  async loadPrompts(): Promise<void> {
    try {
      const { prompts } = await ask(this.orion.backend, { type: 'prompts' });
      this.prompts = prompts;
    } catch {
      this.prompts = []; // The commands of the window are offered all the same.
    }
  }

  /** The text of a prompt, to be looked at and sent; null where it is not there any more, and the person sees why. */
  async expanded(name: string, args: string): Promise<string | null> {
    try {
      return (await ask(this.orion.backend, { type: 'prompt', name, arguments: args })).text;
    } catch (thrown) {
      this.orion.problem(thrown);
      return null;
    }
  }

  /** Asks for the models that can be named after `/model`. */
  async loadModels(): Promise<void> {
    const endpoint = this.orion.options.endpoint ?? this.orion.settings?.defaultEndpoint ?? null;
    if (endpoint === null || this.#modelsOf === endpoint) return;
    this.#modelsOf = endpoint;
    this.models = [];
    try {
      const models = (await this.orion.setup.modelsOf(endpoint)).map(({ id }) => id);
      if (this.#modelsOf === endpoint) this.models = models;
    } catch {
      this.#modelsOf = null; // It can be typed all the same.
    }
  }
}

const same = (a: DraftOf | null, b: DraftOf | null): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Keeps what is written in the composer; call once, from the root component's initialisation. */
export function keepDrafts(orion: OrionWindow): void {
  $effect(() => {
    const { draft } = orion;
    untrack(() => {
      orion.composing.changed();
      if (draft.startsWith('/mo')) void orion.composing.loadModels();
    });
  });
}
