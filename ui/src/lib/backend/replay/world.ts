// A backend that plays recordings and answers from fixtures: the window runs on it in a plain browser. It keeps the
// core's promises that the window relies on (order, journal, refills) and nothing else.

import type { Given } from '$lib/generated/Given';
import type { KeptApproval } from '$lib/generated/KeptApproval';
import type { Aftermath } from '$lib/generated/Aftermath';
import type { Answer } from '$lib/generated/Answer';
import type { ChangesOf } from '$lib/generated/ChangesOf';
import type { Envelope } from '$lib/generated/Envelope';
import type { Op } from '$lib/generated/Op';
import type { Outcome } from '$lib/generated/Outcome';
import type { Query } from '$lib/generated/Query';
import type { Reply } from '$lib/generated/Reply';
import type { Session } from '$lib/generated/Session';
import type { StoredCall } from '$lib/generated/StoredCall';
import type { TraceSpan } from '$lib/generated/TraceSpan';
import type { TurnOptions } from '$lib/generated/TurnOptions';
import type { TurnView } from '$lib/generated/TurnView';
import type { Update } from '$lib/generated/Update';
import { givenOf, KEPT, ruleOf } from './approvals';
import { besideTurns, doneBeside, openedIn } from './beside';
import { pendingAfter } from '$lib/model/pending';
import type { Backend } from '../backend';
import { Branches } from './branches';
import { Written } from './changes';
import { CommandFiles } from './commandFiles';
import { isOfChecks, ReplayedChecks } from './checks';
import { compacted, Entries, hasCompacted } from './compactions';
import { afterCommand } from './commands';
import { Comparisons } from './comparisons';
import { contextIn, keepEdits } from './contexts';
import type { Desk } from './desk';
import { NO_FIGURES } from './figured';
import { error, FOXES, SAMPLE, session } from './fixtures';
import { afterPause, askedToPause } from './pauses';
import { afterQuestions } from './questions';
import { Queues } from './queues';
import type { Recording } from './recording';
import { type Back, Rewinds } from './rewinds';
import { isSaving, saved } from './saved';
import { Forks } from './forks';
import { exportedOf, IMPORTED, importedInto } from './exports';
import { changedBy, sessionsAfter } from './listed';
import type { Scene } from './scene';
import { replayedOf } from './replayed';
import { attachToNext } from './attachments';
import { ofModelCall } from './sents';
import { afterLeaked } from './meant';
import { afterApproval, idsOf } from './scripts';
import { pageOf, searchedIn, told } from './told';
import { answerOf } from './texts';
import { afterChoice, afterWrite } from './writeScripts';

interface Played {
  recording: Recording;
  envelopes: Envelope[];
  spans: TraceSpan[];
  state: TurnView['state'];
}

export class ReplayBackend implements Omit<Backend, 'zoom'> {
  #turns = new Map<string, Played>();
  #sink: (updates: Update[]) => void = () => {};
  readonly #entries = new Entries();
  readonly #forks = new Forks();
  readonly #comparisons = new Comparisons();
  readonly #branches = new Branches();
  readonly #rewinds = new Rewinds();
  readonly #queues = new Queues({
    start: (sessionId, text, options) => void this.#start(sessionId, text, options),
    stop: (sessionId) => this.#running(sessionId).forEach((requestId) => this.#stop(requestId)),
    runs: (sessionId) => this.#running(sessionId).length > 0,
    tell: (sessionId, queue) => this.#tell({ type: 'queue', sessionId, queue }),
  });
  readonly #checks: ReplayedChecks;
  #made = 0;
  #kept: KeptApproval[] = [...KEPT];

  constructor(
    private readonly scene: Scene,
    private readonly pace: number,
  ) {
    this.#checks = new ReplayedChecks(scene.checks, (update) => this.#tell(update));
    for (const { recording, state, insteadOf } of scene.turns) {
      const spans = recording.beats.flatMap(({ update }) => (update.type === 'span' ? [update.span] : []));
      this.#turns.set(recording.ids.requestId, { recording, envelopes: recording.envelopes(), spans, state });
      this.#branches.begin(recording.ids.sessionId, recording.ids.requestId, insteadOf);
      if (scene.queue) this.#queues.set(recording.ids.sessionId, scene.queue);
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

  /** A project is opened by a second start of Orion. */
  shown(): void {
    this.#tell({ type: 'project_shown', projectId: FOXES.projectId });
  }

  subscribe(onUpdates: (updates: Update[]) => void): Promise<() => void> {
    this.#sink = onUpdates;
    return Promise.resolve(() => (this.#sink = () => {}));
  }

  async submit(op: Op): Promise<Outcome> {
    const { state } = this.scene;
    const refusal = this.scene.refusesOp?.(op);
    if (refusal) throw refusal;
    if (isSaving(op)) {
      state.settings = saved(state.settings, op);
      this.#tell({ type: 'settings', settings: state.settings });
      return { type: 'done' };
    }
    if (isOfChecks(op)) return this.#checks.do(op);
    switch (op.type) {
      case 'locate_project': {
        const project = state.projects.find(({ projectId }) => projectId === op.projectId);
        if (!project) throw error('project_unknown', 'This project is not there any more.', 'Open its folder.');
        return openedIn(state, { ...project, path: '/home/ada/archive/foxes', available: true }, (update) =>
          this.#tell(update),
        );
      }
      case 'open_project':
      case 'open_sample':
        return openedIn(state, op.type === 'open_sample' ? SAMPLE : FOXES, (update) => this.#tell(update));
      case 'new_session': {
        const made = session(`s-new-${++this.#made}`, op.projectId, '', -1);
        state.sessions.push(made);
        this.#tell({ type: 'session', session: made });
        return { type: 'session', session: made };
      }
      case 'rename_session':
      case 'pin_session':
      case 'archive_session':
        this.#changeSession(op.sessionId, changedBy(op));
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
        return this.#start(op.sessionId, op.text, op.options, this.#comparisons.script(op.sessionId));
      case 'queue_message':
      case 'edit_queued':
      case 'move_queued':
      case 'remove_queued':
      case 'send_queued':
      case 'release_queue':
      case 'take_queue':
        return this.#queues.change(op);
      case 'switch_branch': {
        const { sessionId } = this.#turn(op.requestId).recording.ids;
        this.#tell({ type: 'tip_moved', sessionId, tip: this.#branches.switch(sessionId, op.requestId) });
        return { type: 'done' };
      }
      case 'fork': {
        const of = this.#turn(op.requestId).recording;
        const { made, recording } = this.#forks.make(of, of.text, state.sessions, op.phase ?? 1);
        state.sessions.push(made);
        this.#turns.set(recording.ids.requestId, {
          recording,
          envelopes: recording.envelopes(),
          spans: [],
          state: 'waiting',
        });
        this.#branches.begin(made.sessionId, recording.ids.requestId);
        return { type: 'forked', session: made, requestId: recording.ids.requestId };
      }
      case 'compare':
        return {
          type: 'compared',
          comparison: this.#comparisons.make(
            this.#turn(op.requestId).recording,
            state.sessions,
            op.routes,
            op.copyAtMost !== null,
          ),
        };
      case 'compact':
        return this.#start(op.sessionId, '', op.options, compacted);
      case 'save_draft':
      case 'attach_file':
      case 'attach_dropped':
      case 'remove_attachment':
      case 'paste':
      case 'edit_context':
      case 'edit_entry':
      case 'open_external':
      case 'remove_copy':
      case 'remove_new':
      case 'retry_now':
      case 'save_instructions':
      case 'clear_command_home':
      case 'forget_learned':
      case 'undo_compaction':
        return doneBeside(op, this.#entries);
      case 'stop_turn':
        if (this.scene.stopMs) await new Promise((resolve) => setTimeout(resolve, this.scene.stopMs));
        this.#stop(op.requestId);
        return { type: 'done' };
      case 'reply':
        this.#reply(op.requestId, op.digest, op.reply);
        return { type: 'done' };
      case 'revoke_approval':
        this.#kept = this.#kept.filter(({ approvalId }) => approvalId !== op.approvalId);
        return { type: 'done' };
      case 'steer':
      case 'pause_turn':
        this.#goOn(op.requestId, (recording) =>
          op.type === 'steer'
            ? recording.event({ type: 'steered', text: op.text })
            : (this.scene.pauses ?? askedToPause)(recording, op.pause),
        );
        return { type: 'done' };
      case 'revise_write': {
        const { recording } = this.#turn(op.requestId);
        this.#desk(op.requestId, recording.desks.length).revise(op.digest, op.revision);
        this.#goOn(op.requestId, () => recording.wait(60).propose());
        return { type: 'done' };
      }
      case 'undo_write': {
        const desks = this.#turn(op.requestId).recording.desks.filter(
          ({ write }) => op.write === null || op.write === write,
        );
        return { type: 'undone', writes: desks.map((desk) => desk.undo()) };
      }
      case 'rewind': {
        const back = this.#back(op.requestId);
        const rewind = this.#rewinds.go(op.requestId, back, op.conversation, op.files !== null);
        if (op.conversation)
          this.#tell({
            type: 'tip_moved',
            sessionId: back.sessionId,
            tip: this.#branches.goBefore(back.sessionId, op.requestId),
          });
        return { type: 'rewound', rewind };
      }
      case 'undo_rewind': {
        const { rewind, back } = this.#rewinds.undo(op.requestId);
        if (rewind.conversation)
          this.#tell({
            type: 'tip_moved',
            sessionId: back.sessionId,
            tip: this.#branches.switch(back.sessionId, back.tip),
          });
        return { type: 'rewound', rewind };
      }
      case 'export':
        return { type: 'exported', file: exportedOf(op.of, op.format, op.files) };
      case 'import':
        for (const update of importedInto(state)) this.#tell(update);
        return { type: 'session', session: IMPORTED };
      case 'undo_changes':
        return { type: 'undone', writes: this.#written(op.of).undo(op.path) };
      case 'resume_turn': {
        const { recording } = this.#turn(op.requestId);
        if (recording.desks.length === 0) {
          const rest = 'Both files agree: the answer is 42.';
          this.#goOn(op.requestId, () =>
            recording.resumed().end('interrupted').action().wait(100).say(rest).end('answered', 'stop').completed(),
          );
          return { type: 'done' };
        }
        const desk = this.#desk(op.requestId, recording.desks.length);
        const rest = desk.draft.text.slice(this.#sent(op.requestId, desk.write).length);
        this.#goOn(op.requestId, () =>
          recording.resumed().prompt().wait(100).content(rest, 256).end('answered', 'stop').propose(),
        );
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
      case 'sessions':
        return { type: 'sessions', ...sessionsAfter(state.sessions, query.projectId, query.after) };
      case 'session': {
        const found = state.sessions.find((other) => other.sessionId === query.sessionId);
        if (!found) throw error('session_unknown', 'This session is not there any more.', 'Choose another one.');
        if (this.scene.answerMs)
          await new Promise((resolve) => setTimeout(resolve, (this.scene.answerMs ?? 0) * this.pace));
        const all = this.#branches.path(found.sessionId).map((requestId) => this.#turn(requestId));
        return {
          type: 'session',
          page: pageOf(
            all.map((turn) => this.#view(turn)),
            query.place,
            query.turns,
          ),
        };
      }
      case 'ancestors': {
        const all = this.#ancestors(query.requestId);
        const turns = all.slice(-query.turns).map((requestId) => this.#view(this.#turn(requestId)));
        return { type: 'ancestors', page: { turns, earlier: all.length > turns.length, later: true, anew: false } };
      }
      case 'queue':
        return { type: 'queue', queue: this.#queues.of(query.sessionId) };
      case 'events':
        return {
          type: 'events',
          envelopes: this.#turn(query.requestId).envelopes.filter(
            ({ seq, event }) => seq > query.afterSeq || (seq === query.afterSeq && event.type.endsWith('_chunk')),
          ),
        };
      case 'aftermath':
        return {
          type: 'aftermath',
          turns: Object.fromEntries(
            query.requestIds.map((requestId) => [requestId, this.#aftermath(this.#turn(requestId).recording)]),
          ),
        };
      case 'context':
        return { type: 'context', view: contextIn(state, this.#of(query.sessionId), query) };
      case 'sent':
      case 'sent_body':
      case 'raw_response':
        return ofModelCall(query, this.#turn(query.requestId).recording);
      case 'replay':
        return { type: 'replay', replay: replayedOf(this.#turn(query.requestId).recording) };
      case 'trace':
        return {
          type: 'trace',
          spans: this.scene.spans?.(this.#turn(query.requestId).recording.ids) ?? this.#turn(query.requestId).spans,
        };
      case 'figures':
        return { type: 'figures', figures: this.scene.figures?.(query.of) ?? NO_FIGURES };
      case 'tool_call': {
        const call: StoredCall | undefined = this.#turn(query.requestId).recording.calls.find(
          (other) => other.toolCallId === query.toolCallId,
        );
        if (!call) throw error('turn_unknown', 'This call is not there any more.', '');
        return { type: 'tool_call', call };
      }
      case 'command_output':
        return {
          type: 'command_output',
          output: this.#turn(query.requestId).recording.outputs.get(query.toolCallId) ?? null,
        };
      case 'entry':
        return { type: 'entry', view: this.#entries.of(query.requestId) };
      case 'write':
        return {
          type: 'write',
          view: this.#desk(query.requestId, query.write).view(this.#sent(query.requestId, query.write)),
        };
      case 'changes':
        return { type: 'changes', files: this.#written(query.of).files() };
      case 'change':
        return { type: 'change', difference: this.#written(query.of).difference(query.path) };
      case 'change_rows':
        return {
          type: 'change_rows',
          rows: this.#written(query.of).rows(query.path, query.digest, query.from, query.count),
        };
      case 'rewind':
        return { type: 'rewind', preview: this.#rewinds.preview(query.requestId, this.#back(query.requestId)) };
      case 'last_rewind':
        return { type: 'last_rewind', rewind: this.#rewinds.last(query.sessionId) };
      case 'write_rows':
        return {
          type: 'write_rows',
          rows: this.#desk(query.requestId, query.write).rows(query.digest, query.from, query.count),
        };
      case 'row_rest':
        return {
          type: 'row_rest',
          rest: this.#desk(query.requestId, query.write).rest(query.digest, query.row, query.from),
        };
      case 'write_text':
        return { type: 'write_text', text: this.#desk(query.requestId, query.write).textOf(query.hunks) };
      case 'approvals':
        return { type: 'approvals', approvals: this.#kept };
      case 'checks':
        return { type: 'checks', checks: this.#checks.now };
      case 'check_script':
        return { type: 'check_script', script: this.#checks.scriptOf(query.command) };
      default:
        if (query.type === 'search' || query.type === 'find')
          return searchedIn(query, state.sessions, (id) =>
            this.#branches.path(id).map((requestId) => this.#turn(requestId).recording),
          );
        return besideTurns(query, this.scene, this.pace);
    }
  }

  #written(of: ChangesOf): Written | CommandFiles {
    if (of.type === 'command')
      return this.#turn(of.requestId).recording.changed.get(of.toolCallId) ?? new CommandFiles(of.requestId, []);
    const turns = of.type === 'turn' ? [this.#turn(of.requestId).recording] : this.#of(of.sessionId);
    return new Written(turns.flatMap(({ desks }) => desks));
  }

  /** What goes back to the message of a turn. */
  #back(requestId: string): Back {
    const { sessionId } = this.#turn(requestId).recording.ids;
    const path = this.#branches.path(sessionId);
    const turns = path.slice(path.indexOf(requestId));
    return {
      sessionId,
      turns: turns.length,
      desks: turns.flatMap((id) => this.#turn(id).recording.desks),
      tip: path.at(-1) ?? requestId,
    };
  }

  /** The turns that led to one, also those of the session that its own was forked from. */
  #ancestors(requestId: string): string[] {
    const path = this.#branches.path(this.#turn(requestId).recording.ids.sessionId);
    const origin = this.#forks.of(path[0] ?? requestId);
    return [...(origin ? this.#ancestors(origin.requestId) : []), ...path.slice(0, path.indexOf(requestId))];
  }

  #view({ recording, envelopes, state }: Played): TurnView {
    const { requestId } = recording.ids;
    return { requestId, state, envelopes, ...this.#aftermath(recording), forkedFrom: this.#forks.of(requestId) };
  }

  #aftermath({ ids: { requestId, sessionId }, desks }: Recording): Aftermath {
    const undone = desks.filter((desk) => desk.undone).map(({ write }) => write);
    const branches = this.#branches.beside(
      this.#of(sessionId).map(({ ids }) => ids.requestId),
      requestId,
    );
    return { undone, branches, compactionUndone: this.#entries.undone(requestId) };
  }

  /** The turns of a session, whatever branch they are on. */
  #of(sessionId: string): Recording[] {
    return [...this.#turns.values()].map(({ recording }) => recording).filter(({ ids }) => ids.sessionId === sessionId);
  }

  #turn(requestId: string): Played {
    const turn = this.#turns.get(requestId);
    if (!turn) throw error('turn_unknown', 'This turn is not there any more.', '');
    return turn;
  }

  #start(sessionId: string, text: string, options: TurnOptions, script = this.scene.script): Outcome {
    const found = this.scene.state.sessions.find((other) => other.sessionId === sessionId);
    if (!found) throw error('session_unknown', 'This session is not there any more.', 'Choose another one.');
    const { refusal } = this.scene;
    if (refusal) {
      delete this.scene.refusal;
      throw refusal;
    }
    attachToNext(found, options, this.scene.state.settings);
    keepEdits(sessionId, []);
    this.#rewinds.forget(sessionId);
    const requestId = `t-new-${++this.#made}`;
    const recording = script(idsOf(requestId, sessionId, found.projectId), text, Date.now());
    const turn: Played = { recording, envelopes: [], spans: [], state: 'running' };
    this.#turns.set(requestId, turn);
    const tip = this.#branches.begin(sessionId, requestId, options.insteadOf);
    if (this.#aftermath(turn.recording).branches.length > 1) this.#tell({ type: 'tip_moved', sessionId, tip });
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
      else if (update.type === 'span')
        turn.spans = [...turn.spans.filter((span) => span.spanId !== update.span.spanId), update.span];
      if (!this.scene.loses?.(index, update)) this.#tell(update);
    }
    const end = turn.envelopes
      .map(({ event }) => event)
      .find((event) => event.type === 'completed' || event.type === 'stopped' || event.type === 'failed');
    if (!end) return;
    turn.state = 'over';
    if (hasCompacted(turn.envelopes))
      this.#changeSession(turn.recording.ids.sessionId, { happened: { type: 'summarized' } });
    this.#queues.ended(turn.recording.ids.sessionId, end.report.stopReason);
  }

  #reply(requestId: string, digest: string, reply: Reply): void {
    const { envelopes, recording } = this.#turn(requestId);
    if (reply.type === 'write') return this.#write(recording, digest, reply);
    const pending = envelopes.map(({ event }) => event).reduce(pendingAfter, null);
    if (pending?.digest !== digest) throw error('turn_unknown', 'No turn waits for this reply.', '');
    switch (reply.type) {
      case 'choose':
        return this.#goOn(requestId, () => afterChoice(recording, reply.choice));
      case 'answer':
        return this.#goOn(requestId, () => afterQuestions(recording, reply.answer));
      case 'resume':
        return this.#goOn(requestId, () => afterPause(recording, digest, reply.edits));
      case 'allow':
      case 'allow_edited':
      case 'allow_words':
      case 'allow_outside':
      case 'reject':
        if (reply.type === 'reject' && reply.stop) return this.#stop(requestId);
        if ((reply.type === 'allow' || reply.type === 'allow_words') && reply.keep)
          this.#kept = [
            ...this.#kept,
            {
              ...KEPT[0],
              approvalId: `k-new-${++this.#made}`,
              keptFor: reply.keep,
              ...ruleOf(reply, pending.of),
              usedAtMs: null,
            } as KeptApproval,
          ];
        return this.#approve(recording, givenOf(reply));
    }
  }

  #approve(recording: Recording, given: Given): void {
    this.#goOn(recording.ids.requestId, () => {
      if (recording.desks.length > 0) afterWrite(recording, given.type === 'allowed' ? [] : null);
      else if (recording.calls.at(-1)?.name === 'write_plan_begin') afterLeaked(recording, given);
      else if (recording.calls.at(-1)?.name === 'run_command') afterCommand(recording, given);
      else afterApproval(recording, given);
    });
  }

  #write(recording: Recording, digest: string, { hunks, despiteFaults }: Extract<Reply, { type: 'write' }>): void {
    const { requestId } = recording.ids;
    const desk = this.#desk(requestId, recording.desks.length);
    desk.approve(digest, despiteFaults);
    const rejected = desk
      .view('')
      .hunks.map(({ number }) => number)
      .filter((number) => hunks?.includes(number) === false);
    const goesOn = this.scene.goesOn ?? afterWrite;
    this.#goOn(requestId, () => goesOn(recording, rejected));
  }

  /** Plays what is recorded now. */
  #goOn(requestId: string, record: (recording: Recording) => void): void {
    const turn = this.#turn(requestId);
    const played = turn.recording.beats.length;
    turn.state = 'running';
    record(turn.recording);
    void this.#play(turn, played);
  }

  #desk(requestId: string, write: number): Desk {
    const desk = this.#turn(requestId).recording.desks.find((other) => other.write === write);
    if (!desk) throw error('write_unknown_session', 'There is no such write session.', 'Open the session again.');
    return desk;
  }

  /** Content that has streamed so far. */
  #sent(requestId: string, write: number): string {
    return this.#turn(requestId)
      .envelopes.map(({ event }) => (event.type === 'write_progress' && event.write === write ? event.text : ''))
      .join('');
  }

  #stop(requestId: string): void {
    const turn = this.#turn(requestId);
    if (turn.state === 'over') return;
    turn.state = 'over';
    const last = turn.envelopes.at(-1);
    const ending = turn.recording.stopped().envelopes().at(-1);
    if (!last || ending?.event.type !== 'stopped') return;
    const report = { ...ending.event.report, answer: answerOf(turn.envelopes) };
    const envelope: Envelope = { ...ending, seq: last.seq + 1, event: { ...ending.event, report } };
    turn.envelopes.push(envelope);
    this.#tell({ type: 'event', envelope });
    this.#queues.ended(envelope.sessionId, 'stopped');
  }

  #running(sessionId: string): string[] {
    return [...this.#turns]
      .filter(([, { recording, state }]) => recording.ids.sessionId === sessionId && state !== 'over')
      .map(([requestId]) => requestId);
  }

  #changeSession(sessionId: string, patch: Partial<Session>): void {
    const found = this.scene.state.sessions.find((other) => other.sessionId === sessionId);
    if (!found) return;
    const session = { ...found, ...patch };
    this.scene.state.sessions = this.scene.state.sessions.map((other) => (other === found ? session : other));
    this.#tell({ type: 'session', session });
  }

  #tell(update: Update): void {
    this.#sink([update]);
  }
}
