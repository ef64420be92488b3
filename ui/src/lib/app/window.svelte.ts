// The window's state and what a person can do to it. One instance, made in App.svelte and handed down by context. Its parts have a file each:
// endpoints and settings (setup.svelte.ts), panels (sides.svelte.ts), turns in memory (pages.svelte.ts), the preview of a write (review.svelte.ts).
// Not here: how updates fold (model/), how they arrive (feed.ts), how anything looks (ui/).

import { getContext, setContext } from 'svelte';
import { asErrorInfo, ask, type Backend } from '$lib/backend/backend';
import type { CommandOutput } from '$lib/generated/CommandOutput';
import type { Envelope } from '$lib/generated/Envelope';
import type { ErrorInfo } from '$lib/generated/ErrorInfo';
import type { Mode } from '$lib/generated/Mode';
import type { Op } from '$lib/generated/Op';
import type { Outcome } from '$lib/generated/Outcome';
import type { PictureView } from '$lib/generated/PictureView';
import type { Project } from '$lib/generated/Project';
import type { RepeatsChoice } from '$lib/generated/RepeatsChoice';
import type { Route } from '$lib/generated/Route';
import type { SentRequest } from '$lib/generated/SentRequest';
import type { Session } from '$lib/generated/Session';
import type { TurnOptions } from '$lib/generated/TurnOptions';
import type { Update } from '$lib/generated/Update';
import { boundsOf, budgetOf, limitsOf } from '$lib/model/bounds';
import * as app from '$lib/model/app';
import { type Chat, newestOf, turnOf, UNKNOWN_CHAT } from '$lib/model/chat';
import { canContinue, isRunning } from '$lib/model/status';
import type { Turn } from '$lib/model/turn';
import { Answers } from './answers';
import { Asked } from './asked';
import { Changes } from './changes.svelte';
import { Compaction } from './compaction';
import { Checks } from './checks.svelte';
import { Chosen } from './chosen';
import { collectSoon } from './collecting';
import { Composing } from './composing.svelte';
import { Computer } from './computer.svelte';
import { Exporting } from './exporting';
import { FrameQueue, Refill } from './feed';
import { Comparing } from './comparing.svelte';
import { FigureView } from './figures.svelte';
import { Finding } from './finding.svelte';
import { Folder } from './folder.svelte';
import { BeforeFork } from './beforeFork.svelte';
import { Forking } from './forking';
import { Pages } from './pages.svelte';
import { Lists } from './lists';
import { News } from './news.svelte';
import { DEMO, FRESH_OPTIONS } from './options';
import type { Overlay } from './overlay';
import { Pausing } from './pausing';
import { preferences } from './preferences.svelte';
import { Primary } from './primary.svelte';
import { Queueing } from './queueing.svelte';
import { Removing } from './removing.svelte';
import { Review } from './review.svelte';
import { Rewinding } from './rewinding.svelte';
import { Room } from './room.svelte';
import { Routes } from './routes.svelte';
import { sendMessage, type Sending, type Sent, type Unsent } from './sending';
import { Setup } from './setup.svelte';
import { Sides } from './sides.svelte';
import { Tour } from './tour.svelte';
import { Tracing } from './tracing.svelte';

/** Source: `CONTINUE` of orion-protocol. */
export const CONTINUE_TEXT = 'Continue.';

export class OrionWindow {
  model = $state.raw(app.EMPTY);
  projectId: string | null = $state(null);
  sessionId: string | null = $state(null);
  /** The turn the trace panel shows; null for the session's latest. */
  tracedId: string | null = $state(null);
  draft = $state('');
  options: TurnOptions = $state.raw(FRESH_OPTIONS);
  sending = $state(false);
  /** The turn that was told to stop, until it has: a disk may hold it up (A4). */
  stopping: string | null = $state(null);
  unsent: Unsent | null = $state.raw(null);
  overlay: Overlay = $state.raw({ kind: 'none' });
  /** The error of a core that could not open its data; there is nothing else to show then. */
  unopened: ErrorInfo | null = $state.raw(null);
  /** Grows when the composer should have the keyboard. */
  focusRequests = $state(0);

  // Each is the same until it changes, however fast a turn streams, so that nothing that follows from them runs for each batch.
  projects = $derived(this.model.projects);
  sessions = $derived(this.model.sessions);
  /** Projects with older sessions than are known. */
  older = $derived(this.model.older);
  settings = $derived(this.model.settings);
  #projectSettings = $derived(this.model.projectSettings);

  project: Project | null = $derived(this.projects.find((project) => project.projectId === this.projectId) ?? null);
  session: Session | null = $derived(this.sessions.find((session) => session.sessionId === this.sessionId) ?? null);
  /** The turns of the open session in memory. */
  chat: Chat = $derived(this.sessionId === null ? UNKNOWN_CHAT : app.chatOf(this.model, this.sessionId));
  turns: readonly Turn[] = $derived(this.chat.turns);
  latest: Turn | null = $derived(newestOf(this.chat));
  /** True while the turns of a session are still being loaded. A path may have none, and its session many. */
  opening = $derived(this.turns.length === 0 && this.chat.earlier && (this.session?.turns ?? 0) > 0);
  running: Turn | null = $derived(this.latest && isRunning(this.latest) ? this.latest : null);
  /** The open session was imported: it can be read, and not continued. */
  readOnly = $derived(this.session?.imported === true);
  /** A budget ended the latest turn, and it can go on (X7). */
  continues = $derived(!this.sending && !this.readOnly && this.latest !== null && canContinue(this.latest));
  /** Grows when files of the project changed on disk. */
  filesRevision: number = $derived(this.projectId === null ? 0 : (this.model.filesRevision[this.projectId] ?? 0));
  endpoints = $derived(this.settings?.endpoints ?? []);
  connected = $derived(this.endpoints.some((endpoint) => endpoint.baseUrl !== null));
  /** True when a message can be sent to some model. */
  ready = $derived(this.connected || this.options.endpoint === DEMO || this.settings?.defaultEndpoint != null);
  inForce = $derived(app.inForce({ settings: this.settings, projectSettings: this.#projectSettings }, this.projectId));
  /** What is wrong in the user's settings and the project's. */
  settingsProblems = $derived([...(this.settings?.problems ?? []), ...this.inForce.problems]);
  /** How the next turn would run: what was chosen for it, else what is in force in the project. */
  route: Route = $derived(this.options.route ?? (this.inForce.twoStageEnabled ? 'two_stage' : 'unified'));
  mode: Mode = $derived(this.options.mode ?? this.inForce.mode);
  budget = $derived(budgetOf(this.route, limitsOf(this.inForce.limits, this.route, this.mode), this.options.limits));
  bounds = $derived(boundsOf(this.route, this.budget, this.settings?.set.compactAtCuts === true));
  firstLaunch = $derived(this.settings !== null && !this.connected && this.projects.length === 0);

  /** The remedies that an error offers. None leads away from a dialog, where a person's text would be lost. */
  remedies = $derived({
    onsettings: this.overlay.kind === 'none' ? () => (this.overlay = { kind: 'settings' }) : undefined,
    onnewchat: this.projectId === null ? undefined : () => this.projectId !== null && this.newChat(this.projectId),
  });

  readonly sides = new Sides(() => this.turns.length > 0);
  /** The composer is there, so that what is dropped can be seen in it. */
  writes = $derived(
    this.project !== null && (this.ready || this.turns.length > 0) && !this.readOnly && this.overlay.kind === 'none',
  );
  readonly setup = new Setup(this);
  readonly chosen = new Chosen(this);
  readonly tour = new Tour(this);
  readonly folder = new Folder(this);
  readonly review = new Review(this);
  readonly primary = new Primary(this);
  readonly compaction = new Compaction(this);
  readonly pages = new Pages(this);
  readonly pausing = new Pausing(this);
  readonly forking = new Forking(this);
  readonly beforeFork = new BeforeFork(this);
  readonly lists = new Lists(this);
  readonly news = new News();
  readonly answers = new Answers(this);
  readonly room = new Room(this);
  readonly removing = new Removing(this);
  readonly checks = new Checks(this);
  readonly rewinding = new Rewinding(this);
  readonly queueing = new Queueing(this);
  readonly asked = new Asked(this);
  readonly changes = new Changes(this);
  readonly exporting = new Exporting(this);
  readonly tracing = new Tracing(this);
  readonly figures = new FigureView(this);
  readonly routes = new Routes(this);
  readonly comparing = new Comparing(this);
  readonly computer = new Computer(this);
  readonly finding = new Finding(this);
  readonly composing: Composing;
  /** The turn whose trace is shown. */
  traced: Turn | null = $derived((this.tracedId === null ? null : turnOf(this.chat, this.tracedId)) ?? this.latest);

  #queue = new FrameQueue((updates) => this.take(updates));
  #refill: Refill;

  constructor(readonly backend: Backend) {
    this.composing = new Composing(this);
    this.#refill = new Refill(
      backend,
      (envelopes) => {
        this.model = app.foldMissing(this.model, envelopes);
        this.look(new Set(envelopes.map(({ requestId }) => requestId)));
      },
      (thrown) => this.problem(thrown),
    );
  }

  async open(): Promise<void> {
    try {
      await this.backend.subscribe(this.#queue.push);
      await this.load();
      const session = this.model.sessions.filter(({ archived }) => !archived).toSorted(app.newestFirst)[0];
      const project = this.model.projects.toSorted((a, b) => b.openedAtMs - a.openedAtMs)[0];
      // Whatever the person did last: went on with a session, or opened a folder (on the command line, too).
      if (session && session.updatedAtMs >= (project?.openedAtMs ?? 0)) await this.openSession(session.sessionId);
      else this.projectId = project?.projectId ?? null;
      await this.composing.moved();
    } catch (thrown) {
      if (this.settings) this.problem(thrown);
      else this.unopened = asErrorInfo(thrown);
    }
    this.asked.opened();
  }

  async openSession(sessionId: string): Promise<void> {
    const session = this.model.sessions.find((other) => other.sessionId === sessionId);
    this.chosen.keep();
    this.sessionId = sessionId;
    this.news.seen(sessionId);
    this.projectId = session?.projectId ?? this.projectId;
    this.#leave();
    await this.pages.newest();
    if (this.sessionId === sessionId) this.chosen.opened();
  }

  newChat(projectId: string): void {
    this.chosen.keep();
    const { projects } = this.model;
    // The project of imported sessions has no folder to begin a chat in.
    const folderless = projects.find((project) => project.projectId === projectId)?.path === '';
    this.projectId = folderless ? (projects.find(({ path }) => path !== '')?.projectId ?? null) : projectId;
    this.sessionId = null;
    this.#leave();
  }

  /** Drops what belongs to the chat that was shown. */
  #leave(): void {
    this.chosen.take();
    this.tracedId = null;
    this.unsent = null;
    this.sides.leave();
    this.review.hide();
    this.pages.leave();
    void this.rewinding.load();
    collectSoon(() => this.running !== null);
    void this.composing.moved();
    this.queueing.leave();
    this.model = app.leave(this.model, this.sessionId);
    this.focusComposer();
  }

  /** With no path the core asks the person for a folder. */
  openProject(path: string | null = null): Promise<Project | null> {
    return this.opened({ type: 'open_project', path });
  }

  /** The person says where the folder of a project is now. */
  async locate(projectId: string): Promise<void> {
    const outcome = await this.submit({ type: 'locate_project', projectId, path: null });
    if (outcome?.type === 'project') this.model = app.fold(this.model, { type: 'project', project: outcome.project });
  }

  /** Goes to the folder that an operation opens. */
  async opened(op: Op): Promise<Project | null> {
    const outcome = await this.submit(op);
    if (outcome?.type !== 'project') return null;
    this.model = app.fold(this.model, { type: 'project', project: outcome.project });
    this.newChat(outcome.project.projectId);
    return outcome.project;
  }

  send(text: string, sending: Sending = {}): Promise<Sent | null> {
    return sendMessage(this, text, sending);
  }

  /** A message is on its way: what is typed from now on is the next one. True when it was in the composer. */
  takeDraft(text: string): boolean {
    const isDraft = this.draft.trim() === text.trim();
    if (isDraft) this.draft = '';
    return isDraft;
  }

  /** A message could not be sent. Where the next one was begun, the card of the error has its text. */
  returnDraft(text: string): void {
    if (this.draft.trim() === '') this.draft = text;
  }

  /** Goes on with the branch that begins with this turn (T9). True when it is shown. */
  async switchBranch(requestId: string): Promise<boolean> {
    if ((await this.submit({ type: 'switch_branch', requestId })) === null) return false;
    await this.pages.newest();
    return true;
  }

  async stop(): Promise<void> {
    if (!this.running) return;
    const { requestId, sessionId } = this.running;
    this.stopping = requestId;
    const stopped = await this.submit({ type: 'stop_turn', requestId });
    if (this.stopping === requestId) this.stopping = null;
    if (stopped !== null && this.sessionId === sessionId) await this.queueing.takeBack(sessionId);
  }

  /** Tries the model call again at once. True when it waited for that. */
  async retryNow(requestId: string): Promise<boolean> {
    return (await this.submit({ type: 'retry_now', requestId })) !== null;
  }

  /** Accepts a finish reason of an endpoint as a complete answer from now on (P10). True when it is saved. */
  async acceptFinish(endpoint: string, reason: string): Promise<boolean> {
    return (await this.submit({ type: 'accept_finish_reason', endpoint, reason })) !== null;
  }

  /** Resumes a turn whose process ended (A5, W7). */
  resume(requestId: string): void {
    void this.submit({ type: 'resume_turn', requestId });
  }

  async chooseRepeats(requestId: string, digest: string, choice: RepeatsChoice): Promise<boolean> {
    return (await this.submit({ type: 'reply', requestId, digest, reply: { type: 'choose', choice } })) !== null;
  }

  /** Brings into view what the turn waits for. Another process may have it, and this window may not know of it yet. */
  async showWaiting(): Promise<void> {
    if (this.sessionId !== null) await this.pages.newest();
    if (this.review.asked) this.review.show(null, true);
  }

  /** Goes on in the same context with a fresh budget (X7). */
  continueFresh(): void {
    void this.send(CONTINUE_TEXT);
  }

  /** A session or a project was deleted, here or elsewhere. If it is shown, the window leaves it. */
  #lose(update: Update): void {
    if (update.type === 'project_forgotten' && update.projectId === this.projectId)
      this.projectId = this.model.projects[0]?.projectId ?? null;
    else if (update.type !== 'session_deleted' || update.sessionId !== this.sessionId) return;
    this.sessionId = null;
    this.#leave();
  }

  /** What the model saw of a call. Rejects with an `ErrorInfo`. */
  async resultOf(requestId: string, toolCallId: string): Promise<string> {
    const { call } = await ask(this.backend, { type: 'tool_call', requestId, toolCallId });
    return call.result ?? '';
  }

  /** The output of a command as it is kept; null where none is. Rejects with an `ErrorInfo`. */
  async outputOf(requestId: string, toolCallId: string): Promise<CommandOutput | null> {
    return (await ask(this.backend, { type: 'command_output', requestId, toolCallId })).output;
  }

  /** An image that came with a message. Rejects with an `ErrorInfo`. */
  async pictureOf(name: string, sha256: string): Promise<PictureView> {
    return (await ask(this.backend, { type: 'attachment_picture', name, sha256 })).picture;
  }

  /** A page of what a model was sent in a call. Rejects with an `ErrorInfo`. */
  async sent(requestId: string, call: number, from: number): Promise<SentRequest> {
    return (await ask(this.backend, { type: 'sent', requestId, call, from })).request;
  }

  /** The body of the request of a call, as the endpoint got it. Rejects with an `ErrorInfo`. */
  async sentBody(requestId: string, call: number): Promise<string> {
    return (await ask(this.backend, { type: 'sent_body', requestId, call })).body;
  }

  /** Null when it failed; the person then sees why. */
  async submit(op: Op): Promise<Outcome | null> {
    try {
      return await this.backend.submit(op);
    } catch (thrown) {
      this.problem(thrown);
      return null;
    }
  }

  problem(thrown: unknown): void {
    this.model = app.addProblem(this.model, asErrorInfo(thrown));
  }

  dismissProblem(id: number): void {
    this.model = app.dismissProblem(this.model, id);
  }

  /** Puts a path into the message. */
  mention(path: string): void {
    const before = this.draft === '' || this.draft.endsWith(' ') ? this.draft : `${this.draft} `;
    this.draft = `${before}\`${path}\` `;
    this.sides.drawer = 'none';
    this.focusComposer();
  }

  focusComposer(): void {
    this.focusRequests += 1;
  }

  showTrace(requestId: string): void {
    this.tracedId = requestId;
    preferences.tab = 'trace';
    if (!this.sides.shows('panel')) this.sides.toggle('panel');
  }

  async newSession(projectId: string): Promise<string> {
    const outcome = await this.backend.submit({ type: 'new_session', projectId });
    if (outcome.type !== 'session') throw new Error(`The outcome of new_session was ${outcome.type}.`);
    this.model = app.fold(this.model, { type: 'session', session: outcome.session });
    this.chosen.begun(projectId);
    this.sessionId = outcome.session.sessionId;
    return outcome.session.sessionId;
  }

  /** Asks for everything that is not of one session. */
  async load(): Promise<void> {
    const known = this.model;
    const { state } = await ask(this.backend, { type: 'state' });
    const before = this.model;
    this.model = app.foldState(before, state);
    this.news.compare(known.sessions, this.model.sessions, this.sessionId);
    this.take([...app.come(known, before, this.model), ...app.gone(known, this.model)]);
  }

  /** Does something that may fail; the person then sees why. */
  async attempt(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (thrown) {
      this.problem(thrown);
    }
  }

  take(updates: Update[]): void {
    const lagged = this.model.lagged;
    this.model = app.foldAll(this.model, updates);
    this.queueing.take(updates);
    this.tracing.take(updates);
    this.checks.take(updates);
    for (const update of updates) {
      this.#lose(update);
      if (update.type === 'dropped') this.composing.drop(update.dropped);
      if (update.type === 'project_shown' && update.projectId !== this.projectId) this.newChat(update.projectId);
    }
    // A folder may be opened from outside the window; the first one is where the person is.
    if (this.projectId === null && (this.projectId = this.model.projects[0]?.projectId ?? null) !== null)
      void this.composing.moved();
    this.asked.take(updates);
    // Only a turn with new events can lack something new, so a batch costs the same in a long chat.
    const events = updates.flatMap((update) => (update.type === 'event' ? [update.envelope] : []));
    this.look(new Set(events.map(({ requestId }) => requestId)));
    this.routes.take(events);
    this.news.take(events, this.sessionId);
    this.#settle(events);
    // What is beside a turn, and what follows the tip, is known to the core.
    if (updates.some((update) => update.type === 'tip_moved' && update.sessionId === this.sessionId))
      void this.pages.newest();
    if (this.model.lagged === lagged) return;
    void this.attempt(() => this.load());
    for (const part of [this.queueing, this.tracing, this.routes]) void part.load();
    for (const part of [this.pages, this.rewinding]) void part.missed();
  }

  /** Loads and drops turns as turns begin and end, in the open session and elsewhere. */
  #settle(events: Envelope[]): void {
    const here = events.filter(({ sessionId }) => sessionId === this.sessionId);
    if (here.some(({ event }) => event.type === 'turn_started')) this.pages.trim();
    for (const requestId of new Set(here.map((envelope) => envelope.requestId))) {
      if (!turnOf(this.chat, requestId)) void this.pages.meet(requestId);
    }
    const ended = events.some(
      ({ sessionId, event }) =>
        sessionId !== this.sessionId &&
        (event.type === 'completed' || event.type === 'stopped' || event.type === 'failed'),
    );
    if (ended) this.model = app.leave(this.model, this.sessionId);
  }

  /** Turns that are shown beside the conversation: they stay in memory wherever the person reads. */
  get needed(): ReadonlySet<string> {
    return new Set([this.tracedId, ...this.review.needed].filter((requestId) => requestId !== null));
  }

  /** Asks for what turns of the open session lack (T6). */
  look(requestIds: Iterable<string>): void {
    for (const requestId of requestIds) {
      const turn = turnOf(this.chat, requestId);
      if (turn) void this.#refill.look(turn);
    }
  }

  /** Asks for what happened to a turn since, whether or not something is known to be missing. */
  refill(turn: Turn): Promise<void> {
    return this.#refill.since(turn);
  }
}

const KEY = Symbol('orion');

export const provideOrion = (orion: OrionWindow): OrionWindow => setContext(KEY, orion);
export const useOrion = (): OrionWindow => getContext<OrionWindow>(KEY);
