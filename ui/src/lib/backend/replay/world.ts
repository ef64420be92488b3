// A backend that plays recordings and answers from fixtures: the window runs on it in a plain browser. It keeps the
// core's promises that the window relies on (order, journal, refills) and nothing else.

import type { Given } from '$lib/generated/Given';
import type { KeptApproval } from '$lib/generated/KeptApproval';
import type { Answer } from '$lib/generated/Answer';
import type { AppState } from '$lib/generated/AppState';
import type { Endpoint } from '$lib/generated/Endpoint';
import type { Envelope } from '$lib/generated/Envelope';
import type { ErrorInfo } from '$lib/generated/ErrorInfo';
import type { Op } from '$lib/generated/Op';
import type { Query } from '$lib/generated/Query';
import type { Reply } from '$lib/generated/Reply';
import type { Session } from '$lib/generated/Session';
import type { StoredCall } from '$lib/generated/StoredCall';
import type { TraceSpan } from '$lib/generated/TraceSpan';
import type { TurnPage } from '$lib/generated/TurnPage';
import type { TurnPlace } from '$lib/generated/TurnPlace';
import type { TurnView } from '$lib/generated/TurnView';
import type { Update } from '$lib/generated/Update';
import { givenOf, KEPT, TOOLS } from './approvals';
import { newestFirst, sessionsOf } from '$lib/model/app';
import type { Backend } from '../backend';
import { compacted, Entries } from './compactions';
import { contextOf, keepEdits, keptEdits } from './contexts';
import type { Desk } from './desk';
import { error, FILES, FOXES, inForce, PRESETS, type ProjectFile, session, SUGGESTIONS } from './fixtures';
import type { Recording } from './recording';
import type { Script } from './scripts';
import { bodyOf, sentOf } from './sents';
import { afterApproval, idsOf } from './scripts';
import { answerOf } from './texts';
import { afterChoice, afterWrite, type GoesOn } from './writeScripts';

interface Played {
  recording: Recording;
  envelopes: Envelope[];
  spans: TraceSpan[];
  state: TurnView['state'];
}

export interface Scene {
  state: AppState;
  /** Turns that are there when the window opens. */
  turns: { recording: Recording; state: TurnView['state'] }[];
  /** What the projects' own files say. */
  projectFile?: ProjectFile;
  /** What a message that is sent plays. */
  script: Script;
  /** What the first message is refused with. */
  refusal?: ErrorInfo;
  /** How a turn goes on when its write is decided; it answers unless this says otherwise. */
  goesOn?: GoesOn;
  /** What a question is refused with. */
  refuses?: (query: Query) => ErrorInfo | null;
  /** What a page of a session takes to come. */
  answerMs?: number;
  /** True for an update that is lost on its way to the window. */
  loses?: (index: number, update: Update) => boolean;
}

/** What an endpoint takes to say which models it has. */
const PROBE_MS = 100;

/** Sessions in a list, as the core gives them. */
const SESSIONS = 200;

/** What the core tells of its state. */
function told(state: AppState): AppState {
  const sessions = state.sessions.toSorted(newestFirst);
  const older = new Set(sessions.slice(SESSIONS).map(({ projectId }) => projectId));
  return structuredClone({ ...state, sessions: sessions.slice(0, SESSIONS), older: [...older] });
}


export class ReplayBackend implements Backend {
  #turns = new Map<string, Played>();
  #sink: (updates: Update[]) => void = () => {};
  readonly #entries = new Entries();
  #made = 0;
  #kept: KeptApproval[] = [...KEPT];

  constructor(
    private readonly scene: Scene,
    private readonly pace: number,
  ) {
    for (const { recording, state } of scene.turns) {
      const updates = recording.beats.map((beat) => beat.update);
      const spans = updates.flatMap((update) => (update.type === 'span' ? [update.span] : []));
      this.#turns.set(recording.ids.requestId, { recording, envelopes: recording.envelopes(), spans, state });
    }
  }

  /** The file of the latest write changes on disk; a difference that waits for a decision is made again (W6). */
  touch(): void {
    for (const [requestId, { recording }] of this.#turns) {
      const { projectId } = recording.ids;
      if (recording.desks.at(-1)?.touched()) this.#goOn(requestId, () => recording.propose());
      this.#tell({ type: 'files_changed', projectId, watch: { state: 'watching' } });
    }
  }

  subscribe(onUpdates: (updates: Update[]) => void): Promise<() => void> {
    this.#sink = onUpdates;
    return Promise.resolve(() => (this.#sink = () => {}));
  }

  async submit(op: Op): Promise<Reply> {
    const { state } = this.scene;
    switch (op.type) {
      case 'open_project':
        this.#tell({ type: 'project', project: FOXES });
        if (!state.projects.some((project) => project.projectId === FOXES.projectId)) state.projects.push(FOXES);
        return { type: 'project', project: FOXES };
      case 'new_session': {
        const made = session(`s-new-${++this.#made}`, op.projectId, '', -1);
        state.sessions.push(made);
        this.#tell({ type: 'session', session: made });
        return { type: 'session', session: made };
      }
      case 'rename_session':
        this.#changeSession(op.sessionId, { title: op.title });
        return { type: 'done' };
      case 'delete_session':
        state.sessions = state.sessions.filter((other) => other.sessionId !== op.sessionId);
        this.#tell({ type: 'session_deleted', sessionId: op.sessionId });
        return { type: 'deleted', remains: null };
      case 'forget_project':
        state.projects = state.projects.filter((project) => project.projectId !== op.projectId);
        this.#tell({ type: 'project_forgotten', projectId: op.projectId });
        return { type: 'deleted', remains: null };
      case 'start_turn':
        return this.#start(op.sessionId, op.text);
      case 'edit_context':
        keepEdits(op.sessionId, op.edits);
        return { type: 'done' };
      case 'compact':
        return this.#start(op.sessionId, '', compacted);
      case 'undo_compaction':
        this.#entries.undo(op.requestId);
        return { type: 'done' };
      case 'edit_entry':
        this.#entries.edit(op.requestId, op.summary);
        return { type: 'done' };
      case 'stop_turn':
        this.#stop(op.requestId);
        return { type: 'done' };
      case 'save_endpoint': {
        const { name, baseUrl, model, keyVariable, apiKey, allowHttp, window, maxOutputTokens, models, makeDefault } = op.change;
        const key = apiKey ? ({ kind: 'keychain' } as const) : keyVariable ? ({ kind: 'environment', name: keyVariable } as const) : ({ kind: 'none' } as const);
        const others = state.settings.endpoints.filter((endpoint) => endpoint.name !== name);
        state.settings = { ...state.settings, endpoints: [{ name, baseUrl, model, key, allowHttp, acceptedFinishReasons: [], window, maxOutputTokens, models }, ...others], defaultEndpoint: makeDefault ? name : state.settings.defaultEndpoint };
        this.#tell({ type: 'settings', settings: state.settings });
        return { type: 'done' };
      }
      case 'retry_now':
        return { type: 'done' };
      case 'accept_finish_reason': {
        const accept = (endpoint: Endpoint) =>
          endpoint.name === op.endpoint ? { ...endpoint, acceptedFinishReasons: [...endpoint.acceptedFinishReasons, op.reason] } : endpoint;
        state.settings = { ...state.settings, endpoints: state.settings.endpoints.map(accept) };
        this.#tell({ type: 'settings', settings: state.settings });
        return { type: 'done' };
      }
      case 'remove_endpoint':
        state.settings = { ...state.settings, endpoints: state.settings.endpoints.filter((endpoint) => endpoint.name !== op.name) };
        this.#tell({ type: 'settings', settings: state.settings });
        return { type: 'done' };
      case 'save_tool': {
        const others = state.settings.tools.filter(({ tool }) => tool !== op.tool.tool);
        state.settings = { ...state.settings, tools: [...others, op.tool] };
        this.#tell({ type: 'settings', settings: state.settings });
        return { type: 'done' };
      }
      case 'save_settings': {
        const { change } = op;
        const said = <T extends object>(layer: T, below: T) => Object.fromEntries(Object.entries(below).map(([key, value]) => [key, layer[key as keyof T] ?? value])) as T;
        const set = { ...said(change, state.settings.set), limits: said(change.limits, state.settings.set.limits) };
        state.settings = {
          ...state.settings,
          set,
          twoStageEnabled: set.twoStageEnabled ?? state.settings.twoStageEnabled,
          mode: set.mode ?? state.settings.mode,
          defaultEndpoint: set.defaultEndpoint ?? state.settings.defaultEndpoint,
          limits: set.limits,
        };
        this.#tell({ type: 'settings', settings: state.settings });
        return { type: 'done' };
      }
      case 'answer': {
        const given = givenOf(op.answer);
        if (op.answer.type === 'allow' && op.answer.keep) this.#kept = [...this.#kept, { ...KEPT[0], approvalId: `k-new-${++this.#made}`, keptFor: op.answer.keep, tool: 'search_files', pattern: '.', usedAtMs: null } as KeptApproval];
        if (op.answer.type === 'reject' && op.answer.stop) this.#stop(op.requestId);
        else this.#approve(op.requestId, op.digest, op.answer.type === 'allow', given);
        return { type: 'done' };
      }
      case 'revoke_approval':
        this.#kept = this.#kept.filter(({ approvalId }) => approvalId !== op.approvalId);
        return { type: 'done' };
      case 'approve':
        this.#approve(op.requestId, op.digest, op.granted);
        return { type: 'done' };
      case 'approve_write': {
        const { recording } = this.#turn(op.requestId);
        const desk = this.#desk(op.requestId, recording.desks.length);
        desk.approve(op.digest, op.despiteFaults);
        const { hunks } = desk.view('');
        const goesOn = this.scene.goesOn ?? afterWrite;
        this.#goOn(op.requestId, () => goesOn(recording, hunks.map(({ number }) => number).filter((number) => op.hunks?.includes(number) === false)));
        return { type: 'done' };
      }
      case 'choose_repeats': {
        const { recording } = this.#turn(op.requestId);
        this.#goOn(op.requestId, () => afterChoice(recording, op.choice));
        return { type: 'done' };
      }
      case 'revise_write': {
        const { recording } = this.#turn(op.requestId);
        this.#desk(op.requestId, recording.desks.length).revise(op.digest, op.revision);
        this.#goOn(op.requestId, () => recording.wait(60).propose());
        return { type: 'done' };
      }
      case 'undo_write': {
        const desks = this.#turn(op.requestId).recording.desks.filter(({ write }) => op.write === null || op.write === write);
        return { type: 'undone', writes: desks.map((desk) => desk.undo()) };
      }
      case 'resume_turn': {
        const { recording } = this.#turn(op.requestId);
        if (recording.desks.length === 0) {
          const rest = 'Both files agree: the answer is 42.';
          this.#goOn(op.requestId, () => recording.resumed().end('interrupted').action().wait(100).say(rest).end('answered', 'stop').completed());
          return { type: 'done' };
        }
        const desk = this.#desk(op.requestId, recording.desks.length);
        const rest = desk.draft.text.slice(this.#sent(op.requestId, desk.write).length);
        this.#goOn(op.requestId, () => recording.resumed().prompt().wait(100).content(rest, 256).end('answered', 'stop').propose());
        return { type: 'done' };
      }
    }
  }

  async query(query: Query): Promise<Answer> {
    const { state } = this.scene;
    const refusal = this.scene.refuses?.(query);
    if (refusal) throw refusal;
    switch (query.type) {
      case 'state':
        return { type: 'state', state: told(state) };
      case 'sessions': {
        const all = sessionsOf(state.sessions, query.projectId);
        const from = query.after === null ? 0 : all.findIndex(({ sessionId }) => sessionId === query.after?.sessionId) + 1;
        return { type: 'sessions', sessions: all.slice(from, from + SESSIONS), more: all.length > from + SESSIONS };
      }
      case 'session': {
        const found = state.sessions.find((other) => other.sessionId === query.sessionId);
        if (!found) throw error('session_unknown', 'This session is not there any more.', 'Choose another one.');
        if (this.scene.answerMs) await new Promise((resolve) => setTimeout(resolve, (this.scene.answerMs ?? 0) * this.pace));
        const all = [...this.#turns.values()].filter(({ recording }) => recording.ids.sessionId === found.sessionId);
        return { type: 'session', page: this.#page(all, query.place, query.turns) };
      }
      case 'events': {
        const { envelopes: all } = this.#turn(query.requestId);
        const envelopes = all.filter(({ seq, event }) => seq > query.afterSeq || (seq === query.afterSeq && event.type.endsWith('_chunk')));
        return { type: 'events', envelopes };
      }
      case 'context': {
        const { sessionId, options } = query;
        const endpoint = options.endpoint ?? state.settings.defaultEndpoint ?? 'demo';
        const model = options.model ?? state.settings.endpoints.find(({ name }) => name === endpoint)?.model ?? 'demo';
        const turns = [...this.#turns.values()].map(({ recording }) => recording).filter(({ ids }) => ids.sessionId === sessionId);
        return { type: 'context', view: { ...contextOf(turns, endpoint, model), edits: keptEdits(sessionId) } };
      }
      case 'sent':
        return { type: 'sent', request: sentOf(this.#turn(query.requestId).recording, query.call, query.from) };
      case 'sent_body':
        return { type: 'sent_body', body: bodyOf(this.#turn(query.requestId).recording, query.call) };
      case 'trace':
        return { type: 'trace', spans: this.#turn(query.requestId).spans };
      case 'tool_call': {
        const call: StoredCall | undefined = this.#turn(query.requestId).recording.calls.find((other) => other.toolCallId === query.toolCallId);
        if (!call) throw error('turn_unknown', 'This call is not there any more.', '');
        return { type: 'tool_call', call };
      }
      case 'entry':
        return { type: 'entry', view: this.#entries.of(query.requestId) };
      case 'write':
        return { type: 'write', view: this.#desk(query.requestId, query.write).view(this.#sent(query.requestId, query.write)) };
      case 'write_rows':
        return { type: 'write_rows', rows: this.#desk(query.requestId, query.write).rows(query.digest, query.from, query.count) };
      case 'write_text':
        return { type: 'write_text', text: this.#desk(query.requestId, query.write).draft.text };
      case 'files': {
        const files = FILES.filter((file) => file.path.includes(query.filter)).slice(0, query.limit);
        return { type: 'files', files, truncated: false, watch: { state: 'watching' } };
      }
      case 'suggestions':
        return { type: 'suggestions', suggestions: SUGGESTIONS.map((text) => ({ text })) };
      case 'space':
        return { type: 'space', space: { projects: state.projects.map(({ projectId }, index) => ({ projectId, bytes: 41_300_000 / (index + 1) ** 3 })), bytes: 63_000_000 } };
      case 'project_settings':
        return { type: 'project_settings', settings: inForce(query.projectId, state.settings, this.scene.projectFile) };
      case 'tools':
        return { type: 'tools', tools: TOOLS };
      case 'approvals':
        return { type: 'approvals', approvals: this.#kept };
      case 'models':
        return { type: 'models', models: ['deepseek-chat', 'deepseek-reasoner'].map((id) => ({ id, ownedBy: 'deepseek', contextLength: null })) };
      case 'probe':
        await new Promise((resolve) => setTimeout(resolve, PROBE_MS * this.pace));
        if (!query.baseUrl.includes('127.0.0.1') && !query.apiKey) {
          throw error('authentication', 'The endpoint refused to answer without a key.', 'Give the key of your account there.', { detail: 'HTTP 401' });
        }
        return { type: 'models', models: ['qwen3:8b', 'gemma3:12b'].map((id) => ({ id, ownedBy: null, contextLength: null })) };
      case 'discover':
        return { type: 'discovered', found: PRESETS.filter((preset) => preset.name === 'ollama') };
    }
  }

  #page(all: Played[], place: TurnPlace, most: number): TurnPage {
    const at = place.type === 'newest' ? all.length : all.findIndex(({ recording }) => recording.ids.requestId === place.requestId);
    if (at === -1) throw error('turn_unknown', 'This turn is not there any more.', '');
    const from = place.type === 'after' ? at + 1 : Math.max(at - most, 0);
    const to = place.type === 'after' ? Math.min(from + most, all.length) : at;
    return { turns: all.slice(from, to).map((turn) => this.#view(turn)), earlier: from > 0, later: to < all.length };
  }

  #view({ recording, envelopes, state }: Played): TurnView {
    return { requestId: recording.ids.requestId, state, envelopes, undone: recording.desks.filter(({ undone }) => undone).map(({ write }) => write), compactionUndone: this.#entries.undone(recording.ids.requestId) };
  }

  #turn(requestId: string): Played {
    const turn = this.#turns.get(requestId);
    if (!turn) throw error('turn_unknown', 'This turn is not there any more.', '');
    return turn;
  }

  #start(sessionId: string, text: string, script = this.scene.script): Reply {
    const found = this.scene.state.sessions.find((other) => other.sessionId === sessionId);
    if (!found) throw error('session_unknown', 'This session is not there any more.', 'Choose another one.');
    const { refusal } = this.scene;
    if (refusal) {
      delete this.scene.refusal;
      throw refusal;
    }
    keepEdits(sessionId, []);
    const requestId = `t-new-${++this.#made}`;
    const recording = script(idsOf(requestId, sessionId, found.projectId), text, Date.now());
    const turn: Played = { recording, envelopes: [], spans: [], state: 'running' };
    this.#turns.set(requestId, turn);
    if (found.title === '') this.#changeSession(sessionId, { title: text.slice(0, 60) });
    void this.#play(turn);
    return { type: 'turn', requestId };
  }

  async #play(turn: Played, from = 0): Promise<void> {
    let behind = 0;
    for (const [index, { afterMs, update }] of turn.recording.beats.slice(from).entries()) {
      behind += afterMs * this.pace;
      if (behind >= 4) {
        const before = performance.now();
        await new Promise((resolve) => setTimeout(resolve, behind));
        behind -= performance.now() - before;
      }
      if (turn.state === 'over') return;
      if (update.type === 'event') turn.envelopes.push(update.envelope);
      else if (update.type === 'span') turn.spans = [...turn.spans.filter((span) => span.spanId !== update.span.spanId), update.span];
      if (!this.scene.loses?.(index, update)) this.#tell(update);
    }
    if (turn.envelopes.some(({ event }) => ['completed', 'stopped', 'failed'].includes(event.type))) turn.state = 'over';
  }

  #approve(requestId: string, digest: string, granted: boolean, given?: Given): void {
    const { envelopes, recording } = this.#turn(requestId);
    const asked = envelopes.at(-1)?.event;
    if (asked?.type !== 'approval_requested' || asked.digest !== digest) throw error('turn_unknown', 'No turn waits for this approval.', '');
    this.#goOn(requestId, () => (recording.desks.length > 0 ? afterWrite(recording, granted ? [] : null) : afterApproval(recording, granted, given)));
  }

  /** Plays what is recorded now. */
  #goOn(requestId: string, record: () => void): void {
    const turn = this.#turn(requestId);
    const played = turn.recording.beats.length;
    turn.state = 'running';
    record();
    void this.#play(turn, played);
  }

  #desk(requestId: string, write: number): Desk {
    const desk = this.#turn(requestId).recording.desks.find((other) => other.write === write);
    if (!desk) throw error('write_unknown_session', 'There is no such write session.', 'Open the chat again.');
    return desk;
  }

  /** Content that has streamed so far. */
  #sent(requestId: string, write: number): string {
    return this.#turn(requestId).envelopes.map(({ event }) => (event.type === 'write_progress' && event.write === write ? event.text : '')).join('');
  }

  #stop(requestId: string): void {
    const turn = this.#turn(requestId);
    if (turn.state === 'over') return;
    turn.state = 'over';
    const last = turn.envelopes.at(-1);
    const ending = turn.recording.stopped().envelopes().at(-1);
    if (!last || ending?.event.type !== 'stopped') return;
    const said = answerOf(turn.envelopes);
    const envelope: Envelope = { ...ending, seq: last.seq + 1, event: { ...ending.event, report: { ...ending.event.report, answer: said } } };
    turn.envelopes.push(envelope);
    this.#tell({ type: 'event', envelope });
  }

  #changeSession(sessionId: string, patch: Partial<Session>): void {
    const { state } = this.scene;
    const found = state.sessions.find((other) => other.sessionId === sessionId);
    if (!found) return;
    const changed = { ...found, ...patch };
    state.sessions = state.sessions.map((other) => (other === found ? changed : other));
    this.#tell({ type: 'session', session: changed });
  }

  #tell(update: Update): void {
    this.#sink([update]);
  }
}
