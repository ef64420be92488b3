// The tour: four scenes that play by themselves in the sample folder, with real turns of the demo model, a real write and a real rewind. What a scene
// does, a person can do with the same buttons. It touches only the turns that it has sent, and leaves when the person goes elsewhere. Not here: how it points (ui/welcome/Tour.svelte), what it says (words), what the demo model is told
// (orion-engine's sample folder: its first two suggestions).

import type { Project } from '$lib/generated/Project';
import { turnOf } from '$lib/model/chat';
import { isRunning } from '$lib/model/status';
import type { words } from '$lib/words';
import { DEMO, FRESH_OPTIONS } from './options';
import { preferences } from './preferences.svelte';
import { when } from './when.svelte';
import type { OrionWindow } from './window.svelte';

export type Scene = keyof typeof words.tour.scenes;

export const SCENES: readonly Scene[] = ['stuck', 'write', 'back', 'inside'];

/** Where a scene is: it plays, the tour is about to press something, it has been seen, or its message could not be sent. */
export type Moment = 'plays' | 'rejects' | 'approves' | 'played' | 'unsent';

/** What is pointed at then: the first of these that is there, and of several the last. */
export const ANCHORS: Record<Scene, Partial<Record<Moment, readonly string[]>>> = {
  stuck: {
    plays: ['[data-testid=phase-bar]', '[data-testid=composer]'],
    played: ['[data-testid=answer]'],
    unsent: ['[data-testid=error-card]'],
  },
  write: {
    plays: ['[data-keys=review]', '[data-testid=phase-bar]'],
    rejects: ['[data-testid=hunk]'],
    approves: ['[data-testid=write-approve]'],
    played: ['[data-testid=write-box]', '[data-testid=answer]'],
    unsent: ['[data-testid=error-card]'],
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
  /** The session that its first message began. */
  #session: string | null = $state(null);
  /** A message of the tour is on its way. */
  #sends = $state(false);
  #texts: readonly string[] = [];
  /** The turn that each scene sent. */
  #sent: Partial<Record<Scene, string>> = {};
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
    this.#session = null;
    this.#sent = {};
    const { suggestions } = await orion.folder.suggestionsFor(project.projectId);
    this.#texts = suggestions.map(({ text }) => text);
    this.play('stuck');
    void when(
      () => this.scene !== null && !this.#here,
      () => this.scene === null,
    ).then((elsewhere) => {
      if (elsewhere) this.leave();
    });
  }

  /** The session of the tour is the one that is open. */
  get #here(): boolean {
    const { projectId, sessionId } = this.orion;
    return projectId === this.#sample && (sessionId === this.#session || (this.#session === null && this.#sends));
  }

  /** This run of a scene may go on. */
  #goes(run: number): boolean {
    return run === this.#runs && this.scene !== null && this.#here;
  }

  /** Begins a scene; the one that plays ends. */
  play(scene: Scene): void {
    const run = ++this.#runs;
    this.scene = scene;
    this.moment = 'plays';
    void this.#perform(scene, run).then((end) => {
      if (this.#goes(run)) this.moment = end;
    });
  }

  finish(): void {
    preferences.toured = true;
    this.leave();
  }

  /** The demo answers on only where there is nothing else. What the person went to meanwhile stays as it is. */
  leave(): void {
    const { orion } = this;
    const here = this.#here;
    this.#runs += 1;
    this.scene = null;
    this.#close();
    if (!here) return;
    orion.draft = this.#texts.includes(orion.draft) ? '' : orion.draft;
    if (orion.settings?.defaultEndpoint != null) orion.options = { ...orion.options, endpoint: null, mode: null };
    orion.focusComposer();
  }

  /** A dialog about a turn of the tour shows nothing of where the person went. */
  #close(): void {
    const { overlay } = this.orion;
    if ((overlay.kind === 'rewind' || overlay.kind === 'sent') && Object.values(this.#sent).includes(overlay.requestId))
      this.orion.overlay = { kind: 'none' };
  }

  #perform(scene: Scene, run: number): Promise<'played' | 'unsent'> {
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

  async #stuck(run: number): Promise<'played' | 'unsent'> {
    const requestId = await this.#send('stuck', this.#texts[0], run);
    if (requestId === null) return 'unsent';
    await this.#until(() => this.#over(requestId), run);
    return 'played';
  }

  async #write(run: number): Promise<'played' | 'unsent'> {
    const requestId = await this.#send('write', this.#texts[1], run);
    if (requestId === null) return 'unsent';
    await this.#until(() => this.#asks(requestId) || this.#over(requestId), run);
    await this.#decide(requestId, run);
    await this.#until(() => this.#over(requestId), run);
    return 'played';
  }

  /** Turns one of the changes down and approves the rest, as far as the person has not decided by then. */
  async #decide(requestId: string, run: number): Promise<void> {
    const { review } = this.orion;
    const waits = () => this.#goes(run) && this.#asks(requestId);
    if (!waits()) return;
    review.show(review.asked, false);
    await this.#until(() => review.drawn || !this.#asks(requestId), run);
    await this.#dwell(run);
    if (waits() && review.asks && review.hunks.length >= TURNED_DOWN && review.rejected.size === 0) {
      this.moment = 'rejects';
      review.goTo(TURNED_DOWN - 1);
      await this.#dwell(run);
      if (waits() && review.asks) review.decide(TURNED_DOWN, false);
    }
    if (!waits()) return;
    this.moment = 'approves';
    await this.#dwell(run);
    if (waits()) await review.approve();
  }

  async #back(run: number): Promise<'played' | 'unsent'> {
    const { orion } = this;
    const { rewinding } = orion;
    const requestId = this.#sent.write;
    if (requestId === undefined || !this.#goes(run)) return 'unsent';
    const open = () => orion.overlay.kind === 'rewind' && orion.overlay.requestId === requestId;
    await rewinding.look(requestId);
    await this.#dwell(run);
    // Whoever closes the dialog meanwhile does not want it. With a message of the person's after it, only the person takes it back.
    if (this.#goes(run) && open() && orion.latest?.requestId === requestId) await rewinding.go(true, true);
    else await this.#until(() => !open(), run);
    return 'played';
  }

  async #inside(run: number): Promise<'played' | 'unsent'> {
    const { orion } = this;
    const requestId = this.#sent.stuck;
    if (requestId === undefined || !this.#goes(run)) return 'unsent';
    orion.overlay = { kind: 'sent', requestId, call: 1 };
    await this.#until(() => orion.overlay.kind !== 'sent', run);
    return 'played';
  }

  /** The turn that was sent; null where none was. */
  async #send(scene: Scene, text: string | undefined, run: number): Promise<string | null> {
    const { orion } = this;
    // What a person does meanwhile is theirs: a turn of their own comes to its end first.
    await this.#until(() => orion.running === null && !orion.sending, run);
    if (text === undefined || !this.#goes(run) || orion.running !== null || orion.sending) return null;
    orion.options = { ...FRESH_OPTIONS, endpoint: DEMO, mode: 'act' };
    if (this.#texts.includes(orion.draft)) orion.draft = '';
    this.#sends = true;
    const sent = await orion.send(text, { attachments: [] });
    if (sent !== null && run === this.#runs) this.#session = sent.sessionId;
    this.#sends = false;
    if (sent === null || !this.#goes(run)) return null;
    this.#sent[scene] = sent.requestId;
    // Its events come on their own.
    await this.#until(() => turnOf(orion.chat, sent.requestId) !== null, run);
    return sent.requestId;
  }

  #asks(requestId: string): boolean {
    return this.orion.review.asked?.requestId === requestId;
  }

  #over(requestId: string): boolean {
    const turn = turnOf(this.orion.chat, requestId);
    return turn === null || !isRunning(turn);
  }

  #until(holds: () => boolean, run: number): Promise<boolean> {
    const { scene } = this;
    // The scene and the session are what tells that the tour went on: the count of runs is not followed.
    return when(holds, () => this.scene !== scene || !this.#goes(run));
  }

  #dwell(run: number): Promise<void> {
    return this.#goes(run) ? new Promise((resolve) => setTimeout(resolve, DWELL_MS)) : Promise.resolve();
  }
}
