// The spans of one turn as a timeline: columns, lanes, rows, waits and marks. It grows with each span; a span takes constant time, but
// for the search for what it belongs to, which goes up its parents.

import type { TraceSpan } from '$lib/generated/TraceSpan';
import { words } from '$lib/words';
import { type Entry, LANE_OF, type MarkAt, markOf, numberAttribute, placeOf, sortOf, textAttribute } from './entry';

/** A model call with the tools it led to. */
export interface Step {
  index: number;
  /** The step's number as the chat says it; null for a final answer, and inside of a write. */
  number: number | null;
  sort: 'step' | 'answer' | 'write';
  startMs: number;
  /** Bars that began in it. */
  entries: Entry[];
}

/** A phase, for the band behind the bars. */
export interface Band {
  span: TraceSpan;
  tone: 'action' | 'tool' | 'write';
}

/** How far up the parents of a span are looked at. */
const MAX_DEPTH = 16;

/** Source: the range of a time value in ECMAScript. */
const MOST_MS = 8.64e15;
const isMoment = (ms: number): boolean => Math.abs(ms) <= MOST_MS;

export class Timeline {
  readonly steps: Step[] = [];
  readonly bands: Band[] = [];
  /** Every bar, in the order of the starts. */
  readonly entries: Entry[] = [];
  readonly calls: Entry[] = [];
  readonly waits: Entry[] = [];
  /** Tool calls and write sessions, each in a row of its own. */
  readonly rows: Entry[] = [];
  readonly marks: MarkAt[] = [];
  /** By their ids. */
  readonly spans = new Map<number, TraceSpan>();
  turn: TraceSpan | null = null;
  startMs = 0;
  /** The last moment that a span told of. */
  lastMs = 0;
  /** The latest start of a span. */
  #latestMs = -MOST_MS;
  readonly #entryOf = new Map<number, Entry>();
  readonly #at = new Map<string, Entry>();
  readonly #bandOf = new Map<number, Band>();
  /** Of an approval or an error: the bar that it is inside of. */
  readonly #insideOf = new Map<number, Entry>();
  readonly #markOf = new Map<number, MarkAt>();
  readonly #results = new Map<string, TraceSpan>();

  constructor(readonly requestId: string) {}

  /** Takes a span that began, changed or ended. What has ended stays ended, however late an older word of it comes. */
  take(told: TraceSpan): void {
    const known = this.spans.get(told.spanId);
    if (told.requestId !== this.requestId || (known?.endMs != null && told.endMs === null)) return;
    // Clocks are set back, and files are written by anybody: no start before the one before it.
    const startMs = known?.startMs ?? (isMoment(told.startMs) ? Math.max(told.startMs, this.#latestMs) : this.lastMs);
    const endMs = told.endMs === null ? null : Math.max(isMoment(told.endMs) ? told.endMs : startMs, startMs);
    const span = startMs === told.startMs && endMs === told.endMs ? told : { ...told, startMs, endMs };
    this.spans.set(span.spanId, span);
    this.#latestMs = Math.max(this.#latestMs, startMs);
    if (this.spans.size === 1) this.startMs = span.startMs;
    this.lastMs = Math.max(this.lastMs, span.startMs, span.endMs ?? 0);
    if (known) this.#change(span);
    else this.#begin(span);
    if (span.kind === 'turn') this.#takeTurn(span);
  }

  get running(): boolean {
    return this.turn === null || this.turn.endMs === null;
  }

  /** What a tool call gave: the span of its result. */
  resultOf(entry: Entry): TraceSpan | null {
    return this.#results.get(textAttribute(entry.span, 'toolCallId') ?? '') ?? null;
  }

  /** What is shown at a place of the chat. */
  at(place: string): Entry | null {
    return this.#at.get(place) ?? null;
  }

  entryOf(spanId: number): Entry | null {
    return this.#entryOf.get(spanId) ?? null;
  }

  #takeTurn(span: TraceSpan): void {
    this.turn = span;
    if (span.status === 'stopped' && span.endMs !== null && !this.#markOf.has(span.spanId))
      this.#mark({ sort: 'stop', span, atMs: span.endMs });
  }

  #begin(span: TraceSpan): void {
    if (span.kind === 'orchestration_phase') this.#phase(span);
    const id = textAttribute(span, 'toolCallId');
    if (span.kind === 'tool_result' && id !== null) this.#results.set(id, span);
    const mark = markOf(span);
    if (mark) this.#mark({ sort: mark, span, atMs: span.startMs });
    const sort = sortOf(span);
    if (span.kind === 'error' || sort === 'wait') this.#putInside(span);
    if (sort === null) return;
    if (this.steps.length === 0) this.#step(span.startMs, null, 'step');
    const step = this.steps.at(-1) as Step;
    const isRow = sort !== 'call' && sort !== 'wait';
    const entry: Entry = {
      sort,
      lane: LANE_OF[sort],
      span,
      step: step.index,
      phase: this.bands.length - 1,
      row: isRow ? this.rows.length : null,
      call: sort === 'call' && typeof span.call === 'number' ? span.call : null,
      inside: [],
    };
    if (sort === 'call' && step.sort === 'write') entry.lane = 'write';
    this.#entryOf.set(span.spanId, entry);
    const place = placeOf(entry);
    if (place !== null) this.#at.set(place, entry);
    this.entries.push(entry);
    step.entries.push(entry);
    if (isRow) this.rows.push(entry);
    else (sort === 'call' ? this.calls : this.waits).push(entry);
  }

  #change(span: TraceSpan): void {
    const entry = this.#entryOf.get(span.spanId);
    if (entry) {
      entry.span = span;
      if (entry.sort === 'tool' || entry.sort === 'reused') entry.sort = sortOf(span) ?? entry.sort;
    }
    const band = this.#bandOf.get(span.spanId);
    if (band) band.span = span;
    const mark = this.#markOf.get(span.spanId);
    if (mark && span.kind !== 'turn') mark.span = span;
    const owner = this.#insideOf.get(span.spanId);
    if (owner) owner.inside[owner.inside.findLastIndex(({ spanId }) => spanId === span.spanId)] = span;
  }

  #putInside(span: TraceSpan): void {
    const owner = this.#owner(span);
    if (!owner) return;
    owner.inside.push(span);
    this.#insideOf.set(span.spanId, owner);
  }

  /** The bar that a span is inside of. */
  #owner(span: TraceSpan): Entry | null {
    let parentId = span.parentId;
    for (let depth = 0; parentId !== null && depth < MAX_DEPTH; depth += 1) {
      const entry = this.#entryOf.get(parentId);
      if (entry) return entry;
      parentId = this.spans.get(parentId)?.parentId ?? null;
    }
    // An approval is a child of the tool phase, in which one call runs.
    const latest = this.rows.at(-1);
    return latest?.sort === 'tool' && latest.span.endMs === null && span.kind === 'approval' ? latest : null;
  }

  #phase(span: TraceSpan): void {
    const write = numberAttribute(span, 'write') !== null;
    const tone = span.phase === 'tool_phase' ? 'tool' : write ? 'write' : 'action';
    const band: Band = { span, tone };
    this.bands.push(band);
    this.#bandOf.set(span.spanId, band);
    if (tone === 'tool') {
      const step = this.steps.at(-1);
      // The answer that a model call may have been is a step, once it led to a tool.
      if (step?.sort === 'step') step.number = numberAttribute(span, 'cycle') ?? span.toolBatchId;
      return;
    }
    const cycle = numberAttribute(span, 'cycle');
    this.#step(
      span.startMs,
      write || cycle === null ? null : cycle + 1,
      write ? 'write' : span.name === 'final answer' ? 'answer' : 'step',
    );
  }

  #step(startMs: number, number: number | null, sort: Step['sort']): void {
    this.steps.push({ index: this.steps.length, number, sort, startMs, entries: [] });
  }

  /** In the order of time. Of a turn that is read after its end, the stop comes first. */
  #mark(mark: MarkAt): void {
    this.#markOf.set(mark.span.spanId, mark);
    const after = this.marks.findLastIndex(({ atMs }) => atMs <= mark.atMs);
    this.marks.splice(after + 1, 0, mark);
  }
}

/** What a step came to. One that led to no tool is the answer. */
export function stepKind(timeline: Timeline, step: Step): 'write' | 'repeat' | 'answer' | 'step' {
  if (step.sort === 'write') return 'write';
  const tools = step.entries.filter(({ lane }) => lane === 'tool');
  if (tools.length > 0 && tools.every(({ sort }) => sort === 'refused' || sort === 'reused')) return 'repeat';
  const led = timeline.steps[step.index + 1] !== undefined || tools.length > 0;
  return step.sort === 'answer' || (!led && !timeline.running) ? 'answer' : 'step';
}

/** What a column is called: `Step 1`, `Answer`, `Write`. */
export function stepWords(timeline: Timeline, step: Step): string {
  const kind = stepKind(timeline, step);
  return kind === 'step' ? words.columns.step(step.number) : words.columns[kind];
}
