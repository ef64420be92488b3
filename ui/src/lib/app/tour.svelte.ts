// The tour: four scenes that play by themselves in the sample folder, with real turns of the demo model, a real write and a real rewind. What a scene
// does, a person can do with the same buttons. Not here: how it points (ui/welcome/Tour.svelte), what it says (words), what the demo model is told
// (orion-engine's sample folder: its first two suggestions).

import type { Project } from '$lib/generated/Project';
import type { words } from '$lib/words';
import { DEMO, FRESH_OPTIONS } from './options';
import { preferences } from './preferences.svelte';
import { when } from './when.svelte';
import type { OrionWindow } from './window.svelte';

export type Scene = keyof typeof words.tour.scenes;

export const SCENES: readonly Scene[] = ['stuck', 'write', 'back', 'inside'];

/** Where a scene is: it plays, the tour is about to press something, or it has been seen. */
export type Moment = 'plays' | 'rejects' | 'approves' | 'played';

/** What is pointed at then: the first of these that is there, and of several the last. */
export const ANCHORS: Record<Scene, Partial<Record<Moment, readonly string[]>>> = {
  stuck: { plays: ['[data-testid=phase-bar]', '[data-testid=composer]'], played: ['[data-testid=answer]'] },
  write: {
    plays: ['[data-keys=review]', '[data-testid=phase-bar]'],
    rejects: ['[data-testid=hunk]'],
    approves: ['[data-testid=write-approve]'],
    played: ['[data-testid=write-box]', '[data-testid=answer]'],
  },
  back: { played: ['[data-testid=rewind-notice]'] },
  inside: { played: ['[data-testid=show-trace]', '[data-testid=answer]'] },
};

/** What the callout stands beside, where it would else cover what the scene shows. */
export const BESIDE: Partial<Record<Scene, string>> = { write: '[data-keys=review]' };

/** Long enough to read a line and to see what is pointed at. */
const DWELL_MS = 1_800;
/** The change of the write that the tour turns down. */
const TURNED_DOWN = 2;

export class Tour {
  /** Null while there is no tour. */
  scene: Scene | null = $state(null);
  moment: Moment = $state('plays');
  #sample: string | null = null;
  #texts: readonly string[] = [];
  /** The turn that writes. */
  #wrote: string | null = null;
  #runs = 0;

  constructor(private readonly orion: OrionWindow) {}

  get number(): number {
    return this.scene === null ? 0 : SCENES.indexOf(this.scene) + 1;
  }

  /** The scene that comes next; null after the last one. */
  get next(): Scene | null {
    return SCENES[this.number] ?? null;
  }

  /** The folder that the person opened last, beside the sample. */
  get own(): Project | null {
    const { projects } = this.orion;
    const others = projects.filter(({ projectId, path }) => projectId !== this.#sample && path !== '');
    return others.toSorted((a, b) => b.openedAtMs - a.openedAtMs)[0] ?? null;
  }

  /** The tour ends in a folder of the person's own. */
  async goToOwn(): Promise<void> {
    const { own, orion } = this;
    this.finish();
    if (own) orion.newChat(own.projectId);
    else await orion.openProject();
    // There the demo would only be in the way of the first model.
    if (orion.projectId !== this.#sample) orion.options = FRESH_OPTIONS;
  }

  async start(): Promise<void> {
    const { orion } = this;
    const project = await orion.opened({ type: 'open_sample' });
    if (!project) return;
    this.#sample = project.projectId;
    const { suggestions } = await orion.folder.suggestionsFor(project.projectId);
    this.#texts = suggestions.map(({ text }) => text);
    this.play('stuck');
  }

  /** Begins a scene; the one that plays ends. */
  play(scene: Scene): void {
    const run = ++this.#runs;
    this.scene = scene;
    this.moment = 'plays';
    void this.#perform(scene, run).then(() => {
      if (run === this.#runs) this.moment = 'played';
    });
  }

  finish(): void {
    preferences.toured = true;
    this.leave();
  }

  /** The demo answers on only where there is nothing else. */
  leave(): void {
    const { orion } = this;
    this.#runs += 1;
    this.scene = null;
    orion.draft = this.#texts.includes(orion.draft) ? '' : orion.draft;
    if (orion.settings?.defaultEndpoint != null) orion.options = { ...orion.options, endpoint: null, mode: null };
    orion.focusComposer();
  }

  #perform(scene: Scene, run: number): Promise<void> {
    switch (scene) {
      case 'stuck':
        return this.#stuck(run);
      case 'write':
        return this.#write(run);
      case 'back':
        return this.#back(run);
      case 'inside':
        return this.#inside(run);
    }
  }

  async #stuck(run: number): Promise<void> {
    await this.#send(this.#texts[0], run);
    await this.#until(() => this.orion.latest !== null && this.orion.running === null, run);
  }

  async #write(run: number): Promise<void> {
    const { orion } = this;
    const before = orion.latest?.requestId ?? null;
    await this.#send(this.#texts[1], run);
    const over = () => orion.running === null && orion.latest !== null && orion.latest.requestId !== before;
    await this.#until(() => orion.review.asked !== null || over(), run);
    if (run !== this.#runs) return;
    this.#wrote = orion.latest?.requestId ?? null;
    await this.#decide(run);
    await this.#until(over, run);
  }

  /** Turns one of the changes down and approves the rest, as far as the person has not decided by then. */
  async #decide(run: number): Promise<void> {
    const { review } = this.orion;
    if (review.asked === null) return;
    review.show(review.asked, false);
    const waits = () => run === this.#runs && review.asked !== null;
    await this.#until(() => review.drawn || review.asked === null, run);
    await this.#dwell(run);
    if (waits() && review.hunks.length >= TURNED_DOWN && review.rejected.size === 0) {
      this.moment = 'rejects';
      review.goTo(TURNED_DOWN - 1);
      await this.#dwell(run);
      if (waits()) review.decide(TURNED_DOWN, false);
    }
    if (!waits()) return;
    this.moment = 'approves';
    await this.#dwell(run);
    if (waits()) await review.approve();
  }

  async #back(run: number): Promise<void> {
    const { rewinding } = this.orion;
    const requestId = this.#wrote ?? this.orion.latest?.requestId;
    if (requestId === undefined) return;
    await rewinding.look(requestId);
    await this.#dwell(run);
    // Whoever closes the dialog meanwhile does not want it.
    if (run === this.#runs && this.orion.overlay.kind === 'rewind') await rewinding.go(true, true);
  }

  async #inside(run: number): Promise<void> {
    const { orion } = this;
    const requestId = orion.latest?.requestId;
    if (requestId === undefined) return;
    orion.overlay = { kind: 'sent', requestId, call: 1 };
    await this.#until(() => orion.overlay.kind !== 'sent', run);
  }

  async #send(text: string | undefined, run: number): Promise<void> {
    const { orion } = this;
    // What a person does meanwhile is theirs: a turn of their own comes to its end first.
    await this.#until(() => orion.running === null, run);
    if (text === undefined || run !== this.#runs) return;
    orion.options = { ...FRESH_OPTIONS, endpoint: DEMO, mode: 'act' };
    if (this.#texts.includes(orion.draft)) orion.draft = '';
    await orion.send(text, { attachments: [] });
    await this.#until(() => orion.running !== null || orion.unsent !== null, run);
  }

  #until(holds: () => boolean, run: number): Promise<boolean> {
    const { scene } = this;
    // The scene is what tells that the tour went on: the count of runs is not followed.
    return when(holds, () => this.scene !== scene || run !== this.#runs);
  }

  #dwell(run: number): Promise<void> {
    return run === this.#runs ? new Promise((resolve) => setTimeout(resolve, DWELL_MS)) : Promise.resolve();
  }
}
