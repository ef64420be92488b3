// The vocabulary that scripts turns for the replaying backend: what the core would emit, in its order (P1, E1, E2), with
// the pauses between. Only in the replay build and in tests.

import type { AskedBy } from '$lib/generated/AskedBy';
import type { CommandAsked } from '$lib/generated/CommandAsked';
import type { CommandOutput } from '$lib/generated/CommandOutput';
import type { CommandRun } from '$lib/generated/CommandRun';
import type { Given } from '$lib/generated/Given';
import type { CheckRun } from '$lib/generated/CheckRun';
import type { CallReason } from '$lib/generated/CallReason';
import type { Entry } from '$lib/generated/Entry';
import type { Envelope } from '$lib/generated/Envelope';
import type { CutCause } from '$lib/generated/CutCause';
import type { ErrorInfo } from '$lib/generated/ErrorInfo';
import type { MadeCall } from '$lib/generated/MadeCall';
import type { NoticeCode } from '$lib/generated/NoticeCode';
import type { Phase } from '$lib/generated/Phase';
import type { PhaseCause } from '$lib/generated/PhaseCause';
import type { Policy } from '$lib/generated/Policy';
import type { Purpose } from '$lib/generated/Purpose';
import type { RepeatsChoice } from '$lib/generated/RepeatsChoice';
import type { SpanStatus } from '$lib/generated/SpanStatus';
import type { StopReason } from '$lib/generated/StopReason';
import type { StoredCall } from '$lib/generated/StoredCall';
import type { ToolStatus } from '$lib/generated/ToolStatus';
import type { TraceKind } from '$lib/generated/TraceKind';
import type { TraceSpan } from '$lib/generated/TraceSpan';
import type { TurnEvent } from '$lib/generated/TurnEvent';
import type { TurnIds } from '$lib/generated/TurnIds';
import type { TurnLimits } from '$lib/generated/TurnLimits';
import type { TurnReport } from '$lib/generated/TurnReport';
import type { Update } from '$lib/generated/Update';
import type { WriteFault } from '$lib/generated/WriteFault';
import type { WriteStatus } from '$lib/generated/WriteStatus';
import { type Budget, boundsOf } from '$lib/model/bounds';
import { utf8Length } from '$lib/model/utf8';
import { Desk, type Draft } from './desk';
import { TWO_STAGE } from './policy';
import { type Beat, NO_USAGE, OF_TOOL, OF_WRITE, TOOLS } from './recorded';
import { attach } from './attachments';
import type { CommandFiles } from './commandFiles';
import { answerOf, chunks } from './texts';

export class Recording {
  readonly beats: Beat[] = [];
  readonly calls: StoredCall[] = [];
  readonly desks: Desk[] = [];
  /** The kept outputs of commands, by call. */
  readonly outputs = new Map<string, CommandOutput>();
  /** The files that commands changed, by call. */
  readonly changed = new Map<string, CommandFiles>();
  #seq = 0;
  #phase: Phase = 'action_phase';
  #cycle = 0;
  #modelCalls = 0;
  #toolRuns = 0;
  #duplicates = 0;
  #reused = 0;
  #retries = 0;
  #textBytes = 0;
  #reasoningBytes = 0;
  #outputBytes = 0;
  #writePrompts = 0;
  #sessionPrompts = 0;
  #contentBytes = 0;
  #contentLines = 0;
  #writeSpan = 0;
  #phaseAtMs: number;
  /** When the first text of the model call came, and the last try began. */
  #firstAtMs: number | null = null;
  #triedAtMs = 0;
  #wait = 0;
  #spans: TraceSpan[] = [];
  #phaseSpan = 1;
  #callSpan = 0;
  /** Has the span of the latest call say how it was read. */
  #read: Record<string, unknown> = {};
  #asked: { digest: string; span: number } | null = null;

  constructor(
    readonly ids: TurnIds,
    readonly text: string,
    private nowMs: number,
    private readonly startMs = nowMs,
    private readonly model = 'deepseek-chat',
    endpoint = 'deepseek',
    private readonly policy: Policy = TWO_STAGE,
    chosen: TurnLimits | null = null,
    purpose: Purpose = 'answer',
  ) {
    this.#phaseAtMs = nowMs;
    const bounds = boundsOf(policy.route, policy as Budget);
    this.event({
      type: 'turn_started',
      policy,
      bounds,
      mode: 'act',
      model,
      endpoint,
      text,
      tools: TOOLS,
      ...(chosen && { chosen }),
      purpose,
    });
    this.#span('turn', 'turn', null, { route: policy.route, mode: 'act', model, endpoint, bounds });
    this.#instant('tool_registration', 'tools', 1, 'ok', { count: TOOLS.length, tools: TOOLS.join(', ') });
    attach(this);
  }

  /** Lets time pass before what comes next. */
  wait(ms: number): this {
    this.#wait += ms;
    this.nowMs += ms;
    return this;
  }

  action(isFinal = false): this {
    this.#modelCalls += 1;
    this.#begin('action_phase', isFinal, this.#modelCalls);
    this.#callSpan = this.#span('model_call', 'model call', this.#phaseSpan, {}, this.#modelCalls + this.#writePrompts);
    return this;
  }

  /** Streams text in chunks of `size` characters, `gapMs` apart. */
  say(text: string, size = 24, gapMs = 12): this {
    for (const part of chunks(text, size)) {
      this.wait(gapMs);
      this.#firstAtMs ??= this.nowMs;
      this.#push({ type: 'text_chunk', offset: this.#textBytes, text: part });
      this.#textBytes += utf8Length(part);
    }
    return this;
  }

  think(text: string, size = 24, gapMs = 8): this {
    for (const part of chunks(text, size)) {
      this.wait(gapMs);
      this.#firstAtMs ??= this.nowMs;
      this.#push({ type: 'reasoning_chunk', offset: this.#reasoningBytes, text: part });
      this.#reasoningBytes += utf8Length(part);
    }
    return this;
  }

  /** `read`: the call as the model made it, where that was otherwise (P9), and that it stood in its text. */
  call(
    toolCallId: string,
    name: string,
    args: Record<string, unknown>,
    read: { made?: MadeCall; leaked?: true } = {},
  ): this {
    const signature = `${name} ${JSON.stringify(args)}`;
    this.event({ type: 'tool_call', toolCallId, name, arguments: args, signature, ...read });
    const { made } = read;
    this.#read = { ...read, ...(made && { made: { ...made, arguments: JSON.stringify(made.arguments) } }) };
    this.calls.push({ toolCallId, name, arguments: args, permission: 'allow', result: null });
    return this;
  }

  tools(): this {
    this.#cycle += 1;
    this.#begin('tool_phase', false, null);
    const call = this.calls.at(-1);
    const args = JSON.stringify(call?.arguments);
    this.#callSpan = this.#span('tool_call', call?.name ?? 'tool', this.#phaseSpan, {
      toolCallId: call?.toolCallId,
      arguments: args,
      signature: `${call?.name} ${args}`,
      ...this.#read,
    });
    return this;
  }

  /** The call waits for a person. */
  ask(asks: { by: AskedBy; keeps?: string; command?: CommandAsked }): this {
    const call = this.calls.at(-1);
    if (!call) throw new Error('There is no call to ask about.');
    const { toolCallId, name } = call;
    const digest = `digest of ${toolCallId}`;
    this.#asked = { digest, span: this.#span('approval', name, this.#phaseSpan, { digest }) };
    const { by, keeps = null, command } = asks;
    return this.event({
      type: 'asked',
      digest,
      of: {
        type: 'call',
        toolCallId,
        name,
        summary: JSON.stringify(call.arguments),
        by,
        keeps,
        ...(command && { command }),
      },
    });
  }

  answered(given: Given): this {
    if (!this.#asked) throw new Error('Nothing was asked.');
    const isNo = given.type === 'rejected' || (given.type === 'chosen' && given.choice === 'discard');
    this.#closeSpan(
      this.#asked.span,
      isNo ? 'refused' : 'ok',
      given.type === 'chosen' ? { choice: given.choice } : { granted: !isNo },
    );
    return this.event({ type: 'answered', digest: this.#asked.digest, given });
  }

  /** Opens a write session: what the model says next is content (W1). */
  open(draft: Draft): this {
    const call = this.calls.at(-1);
    const desk = new Desk(this.ids.requestId, this.desks.length + 1, call?.toolCallId ?? '', draft);
    this.desks.push(desk);
    [this.#phase, this.#contentBytes, this.#contentLines, this.#sessionPrompts] = ['action_phase', 0, 1, 0];
    const { path, operation, intent } = draft;
    this.event({ type: 'write_started', write: desk.write, toolCallId: desk.toolCallId, path, operation, intent });
    this.#writeSpan = this.#span('write_session', path, 1, { write: desk.write, path, operation });
    return this.prompt();
  }

  /** Asks the model for content, or for more of it. */
  prompt(): this {
    this.#writePrompts += 1;
    this.#sessionPrompts += 1;
    this.#begin('action_phase', false, this.#sessionPrompts, this.#desk().write);
    this.#callSpan = this.#span('model_call', 'model call', this.#phaseSpan, {}, this.#modelCalls + this.#writePrompts);
    return this;
  }

  content(text: string, size = 24, gapMs = 12): this {
    for (const part of chunks(text, size)) {
      this.wait(gapMs);
      this.#firstAtMs ??= this.nowMs;
      const offset = this.#contentBytes;
      this.#contentBytes += utf8Length(part);
      const begun = this.#contentLines + part.split('\n').length - 1;
      this.#contentLines = begun;
      this.#push({
        type: 'write_progress',
        write: this.#desk().write,
        offset,
        text: part,
        lines: part.endsWith('\n') ? begun - 1 : begun,
        bytes: this.#contentBytes,
      });
    }
    return this;
  }

  faulty(faults: WriteFault[], round = 1): this {
    const desk = this.#desk();
    desk.state = 'needs_corrections';
    this.event({ type: 'write_faults', write: desk.write, round, faults, more: 0 });
    this.#instant('write_session', 'corrections', this.#writeSpan, 'failed', {
      write: desk.write,
      round,
      faults: faults.map(({ kind }) => kind),
      more: 0,
    });
    return this;
  }

  /** The content only repeats itself: a person is asked what becomes of it (P11). `once` is the content with the first of the repeats alone. */
  repeats(stretch: string, times: number, once: string): this {
    const { write, draft, state } = this.#desk();
    this.#desk().state = state === 'needs_corrections' ? state : 'awaiting_content';
    this.notice(
      'repeated_itself',
      `The model kept repeating itself, so the content of ${draft.path} was cut off. The same text came ${times} times in a row.`,
    );
    const digest = `digest of write ${write}`;
    this.#asked = { digest, span: this.#span('approval', 'repeats', this.#writeSpan, { digest, write, times }) };
    const { path } = draft;
    const [bytes, onceBytes, choices]: [number, number, RepeatsChoice[]] = [
      this.#contentBytes,
      utf8Length(once),
      ['go_on', 'keep_one', 'discard'],
    ];
    return this.event({
      type: 'asked',
      digest,
      of: { type: 'repeats', write, path, stretch, times, bytes, onceBytes, choices },
    });
  }

  /** The preview is there, and a person is asked (W6, A3). */
  propose(): this {
    const desk = this.#desk();
    desk.state = 'awaiting_approval';
    const proposal = desk.proposal();
    if (this.#asked) this.#closeSpan(this.#asked.span, 'refused');
    const { digest, cause, sha256, bytes, added, removed } = proposal;
    this.event({ type: 'write_ready', write: desk.write, proposal });
    this.#instant('write_session', 'preview', this.#writeSpan, 'ok', {
      write: desk.write,
      cause,
      sha256,
      bytes,
      added,
      removed,
      seams: proposal.seams.length,
      faults: proposal.faults.length + proposal.moreFaults,
    });
    this.#asked = { digest, span: this.#span('approval', 'write_plan_begin', this.#writeSpan, { digest }) };
    const {
      write,
      toolCallId,
      draft: { path },
    } = desk;
    const name = 'write_plan_begin';
    return this.event({
      type: 'asked',
      digest,
      of: { type: 'write', write, path, toolCallId, name, summary: path, by: 'default', keeps: path },
    });
  }

  wrote(status: WriteStatus, error: ErrorInfo | null = null, rejectedHunks: number[] = []): this {
    const desk = this.#desk();
    const written = status === 'written' ? desk.wrote(rejectedHunks) : null;
    if (!written) desk.state = 'discarded';
    desk.came = status;
    const revised = desk.cause === 'revised';
    const [sha256, bytes] = [written?.sha256 ?? null, written?.bytes ?? null];
    this.event({
      type: 'write_done',
      write: desk.write,
      path: desk.draft.path,
      status,
      sha256,
      bytes,
      rejectedHunks,
      revised,
      error,
    });
    this.#closeSpan(this.#writeSpan, OF_WRITE[status], {
      status,
      sha256,
      bytes,
      rejectedHunks: rejectedHunks.length,
      code: error?.code ?? null,
    });
    return this;
  }

  interrupted(): this {
    return this.event({ type: 'interrupted' });
  }

  resumed(): this {
    return this.event({ type: 'resumed' });
  }

  /** The running tool shows a piece of its output. */
  output(text: string, afterMs = 0): this {
    const call = this.calls.at(-1);
    if (!call) throw new Error('There is no call that could show something.');
    this.wait(afterMs).#push({ type: 'tool_output', toolCallId: call.toolCallId, offset: this.#outputBytes, text });
    this.#outputBytes += utf8Length(text);
    return this;
  }

  result(
    summary: string,
    body: string,
    tookMs: number,
    status: ToolStatus = 'ok',
    error: ErrorInfo | null = null,
    command?: CommandRun,
  ): this {
    const at = this.calls.length - 1;
    const call = this.calls[at];
    if (!call) throw new Error('There is no call to give a result to.');
    this.calls[at] = { ...call, result: body };
    this.wait(tookMs);
    if (status !== 'denied') this.#toolRuns += 1;
    const { toolCallId } = call;
    const [bytes, of] = [utf8Length(body), OF_TOOL[status]];
    this.event({
      type: 'tool_result',
      toolCallId,
      status,
      summary,
      bytes,
      truncated: false,
      sha256: null,
      durationMs: tookMs,
      error,
      ...(command && { command }),
    });
    this.#instant('tool_result', summary, this.#phaseSpan, of, {
      toolCallId,
      status,
      summary,
      bytes,
      truncated: false,
      durationMs: tookMs,
      code: error?.code ?? null,
    });
    this.#closeSpan(this.#callSpan, of, { status, durationMs: tookMs });
    return this;
  }

  refuse(name: string, args: Record<string, unknown>, original: string): this {
    this.#duplicates += 1;
    const signature = `${name} ${JSON.stringify(args)}`;
    const [count, limit] = [this.#duplicates, this.policy.maxDuplicates];
    const toolCallId = `again-${count}`;
    this.event({ type: 'duplicate_refused', toolCallId, name, arguments: args, signature, original, count, limit });
    this.#instant('duplicate_tool_call', name, this.#phaseSpan, 'refused', {
      toolCallId,
      arguments: JSON.stringify(args),
      signature,
      original,
      count,
      limit,
    });
    return this;
  }

  reuse(name: string, args: Record<string, unknown>, original: string, originalRequestId: string): this {
    this.#reused += 1;
    const signature = `${name} ${JSON.stringify(args)}`;
    const [count, limit] = [this.#reused, this.policy.maxCycles];
    const toolCallId = `unchanged-${count}`;
    const facts = { signature, originalRequestId, original, count, limit };
    this.event({ type: 'call_reused', toolCallId, name, arguments: args, ...facts });
    this.#instant('tool_call', name, this.#phaseSpan, 'ok', {
      toolCallId,
      arguments: JSON.stringify(args),
      status: 'reused',
      ...facts,
    });
    return this;
  }

  block(names: string[], reason: CallReason): this {
    this.event({ type: 'calls_blocked', blockedSignatures: names.map((name) => `${name} {}`), names, reason });
    return this;
  }

  notice(code: NoticeCode, message: string): this {
    this.event({ type: 'notice', code, message });
    return this;
  }

  /** What left the conversation (X3): results, and messages of turns before this one. */
  cut(cause: CutCause, results: number, messages: number): this {
    const boxes = Array.from({ length: results }, (_, i) => ({
      requestId: this.ids.requestId,
      toolCallId: `cut-${i + 1}`,
      bytes: 31_240,
    }));
    const turns =
      messages === 0 ? [] : [{ first: this.ids.requestId, last: this.ids.requestId, turns: 1, messages, bytes: 4_100 }];
    this.event({
      type: 'context_cut',
      cause,
      tokensBefore: 20_480,
      tokensAfter: 11_900,
      room: 24_576,
      boxes,
      turns,
      earlier: false,
      pins: 0,
    });
    return this;
  }

  /** An entry stands in the place of the conversation from here on (X4). */
  compacted(turns: number, tokensBefore: number, tokensAfter: number, entry: Entry): this {
    this.event({ type: 'compacted', turns, tokensBefore, tokensAfter, entry });
    this.#instant('compaction', 'compacted', 1, 'ok', { turns, tokensBefore, tokensAfter });
    return this;
  }

  retrying(delayMs: number, cause: ErrorInfo): this {
    this.#retries += 1;
    const attempt = this.#retries + 1;
    const { code, message, retryable } = cause;
    this.event({ type: 'retrying', attempt, delayMs, cause });
    this.#instant('error', 'retrying', this.#callSpan, 'failed', { code, message, retryable, attempt, delayMs });
    this.#triedAtMs = this.nowMs + delayMs;
    return this;
  }

  end(cause: PhaseCause, finishReason: string | null = null): this {
    const durationMs = this.nowMs - this.#phaseAtMs;
    const usage =
      cause === 'tools_done' ? null : { ...NO_USAGE, promptTokens: 1_240 + 800 * this.#cycle, completionTokens: 96 };
    const firstChunkMs =
      this.#phase === 'action_phase' && this.#firstAtMs !== null ? this.#firstAtMs - this.#triedAtMs : null;
    const status = cause === 'failed' || cause === 'stopped' ? cause : 'ok';
    if (this.#phase === 'action_phase') this.#closeSpan(this.#callSpan, status, { finishReason, usage, firstChunkMs });
    this.#closeSpan(this.#phaseSpan, status, { cause });
    this.event({ type: 'phase_ended', durationMs, cause, finishReason, usage, firstChunkMs });
    return this;
  }

  completed(stopReason: StopReason = 'answered'): this {
    return this.#finish('completed', 'ok', this.#report('completed', stopReason, null));
  }

  stopped(): this {
    return this.#finish('stopped', 'stopped', this.#report('stopped', 'stopped', null));
  }

  failed(error: ErrorInfo): this {
    return this.#finish('failed', 'failed', this.#report('failed', 'error', { ...error, ...this.ids }));
  }

  envelopes(): Envelope[] {
    return this.beats.flatMap(({ update }) => (update.type === 'event' ? [update.envelope] : []));
  }

  #desk(): Desk {
    const desk = this.desks.at(-1);
    if (!desk) throw new Error('There is no write session.');
    return desk;
  }

  #begin(phase: Phase, isFinal: boolean, modelCall: number | null, write: number | null = null): void {
    this.#phase = phase;
    [this.#phaseAtMs, this.#triedAtMs, this.#firstAtMs] = [this.nowMs, this.nowMs, null];
    const name =
      write !== null
        ? 'content'
        : isFinal
          ? 'final answer'
          : phase === 'tool_phase'
            ? `tool ${this.#cycle}`
            : phase === 'check_phase'
              ? 'checks'
              : 'action';
    this.#phaseSpan = this.#span('orchestration_phase', name, write !== null ? this.#writeSpan : 1, {
      cycle: this.#cycle,
      write,
    });
    this.event({ type: 'phase_started', cycle: this.#cycle, modelCall, write, isFinal });
  }

  #finish(type: 'completed' | 'stopped' | 'failed', status: SpanStatus, report: TurnReport): this {
    this.#phase = 'complete';
    if (report.error) {
      const { code, message, retryable } = report.error;
      this.#instant('error', message, 1, 'failed', { code, message, retryable });
    }
    const { stopReason, cycles, toolRuns, modelCalls, duplicatesRefused, retries, usage } = report;
    this.#closeSpan(1, status, { stopReason, cycles, toolRuns, modelCalls, duplicatesRefused, retries, usage });
    for (const span of this.#spans.filter((other) => other.endMs === null)) this.#closeSpan(span.spanId, status);
    this.event({ type, report });
    return this;
  }

  /** The person's checks run (V1). */
  checks(): this {
    this.#begin('check_phase', false, null);
    return this;
  }

  check(name: string, command: string, attempt: number): this {
    this.#callSpan = this.#span('check', name, this.#phaseSpan, { line: command, attempt });
    return this.event({ type: 'check_started', name, command, attempt });
  }

  checked(run: CheckRun, attempt: number, failedBefore = false): this {
    const { status, command } = run;
    const ended = status === 'passed' ? 'ok' : status === 'skipped' || status === 'stopped' ? 'stopped' : 'failed';
    this.#closeSpan(this.#callSpan, ended, { status, attempt, failedBefore, durationMs: command?.durationMs });
    return this.event({ type: 'check_ended', attempt, failedBefore, run });
  }

  /** Beside its span, where it has one. */
  event(event: TurnEvent): this {
    this.#seq += 1;
    this.#push(event);
    return this;
  }

  #push(event: TurnEvent): void {
    const toolBatchId = this.#phase === 'tool_phase' ? this.#cycle : null;
    this.#beat({
      type: 'event',
      envelope: { v: 1, ...this.ids, seq: this.#seq, atMs: this.nowMs, phase: this.#phase, toolBatchId, event },
    });
  }

  #span(
    kind: TraceKind,
    name: string,
    parentId: number | null,
    attributes: Record<string, unknown>,
    call?: number,
  ): number {
    const spanId = this.#spans.length + 1;
    const toolBatchId = this.#phase === 'tool_phase' ? this.#cycle : null;
    this.#spans.push({
      ...this.ids,
      spanId,
      parentId,
      kind,
      name,
      startMs: this.nowMs,
      endMs: null,
      phase: this.#phase,
      toolBatchId,
      status: 'running',
      attributes,
      ...(call && { call }),
    });
    this.#beatSpan(spanId);
    return spanId;
  }

  /** A span that marks a moment. */
  #instant(
    kind: TraceKind,
    name: string,
    parentId: number,
    status: SpanStatus,
    attributes: Record<string, unknown>,
  ): void {
    this.#closeSpan(this.#span(kind, name, parentId, attributes), status);
  }

  #closeSpan(spanId: number, status: SpanStatus, attributes: Record<string, unknown> = {}): void {
    const span = this.#spans[spanId - 1];
    if (!span || span.endMs !== null) return;
    this.#spans[spanId - 1] = { ...span, endMs: this.nowMs, status, attributes: { ...span.attributes, ...attributes } };
    this.#beatSpan(spanId);
  }

  #beatSpan(spanId: number): void {
    const span = this.#spans[spanId - 1];
    if (span) this.#beat({ type: 'span', span: { ...span } });
  }

  #beat(update: Update): void {
    this.beats.push({ afterMs: this.#wait, update });
    this.#wait = 0;
  }

  #report(status: TurnReport['status'], stopReason: StopReason, error: ErrorInfo | null): TurnReport {
    return {
      ...this.ids,
      parentRequestId: null,
      route: this.policy.route,
      mode: 'act',
      model: this.model,
      status,
      phaseReached: this.#phase,
      stopReason,
      answer: answerOf(this.envelopes()),
      cycles: this.#cycle,
      toolRuns: this.#toolRuns,
      reused: this.#reused,
      duplicatesRefused: this.#duplicates,
      modelCalls: this.#modelCalls,
      writePrompts: this.#writePrompts,
      retries: this.#retries,
      steered: 0,
      bounds: boundsOf(this.policy.route, this.policy as Budget),
      usage: { ...NO_USAGE, promptTokens: 1_240 * this.#modelCalls, completionTokens: 96 * this.#modelCalls },
      exhausted: stopReason === 'budget_exhausted' ? 'cycles' : null,
      costUsd: null,
      durationMs: this.nowMs - this.startMs,
      summary: null,
      exitCode: null,
      channel: 'window',
      projectName: null,
      phases: [],
      toolCalls: [],
      writes: this.desks.map(({ draft: { path, operation }, came: status }) => ({
        path,
        operation,
        sha256: null,
        bytes: null,
        status,
      })),
      changes: [],
      evaluation: null,
      checks: null,
      error,
    };
  }
}
