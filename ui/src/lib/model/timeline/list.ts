// The spans of a turn as a list that can be searched and filtered.

import type { TraceSpan } from '$lib/generated/TraceSpan';
import type { Tone } from '../status';
import { outcomeOf, toneOf } from '../spans';
import { endOf, type Entry, titleOf } from './entry';
import { kindWords } from './inspect';
import { stepWords, type Timeline } from './timeline';

export interface Filter {
  /** Words that all have to be in it. */
  text: string;
  /** Empty for any. */
  kind: string;
  phase: string;
  status: string;
  tool: string;
  problems: boolean;
}

export const NO_FILTER: Filter = { text: '', kind: '', phase: '', status: '', tool: '', problems: false };

export interface ListRow {
  name: string;
  detail: string;
  step: string;
  outcome: string;
  tone: Tone;
}

export function listRow(timeline: Timeline, span: TraceSpan, nowMs: number): ListRow {
  const entry = timeline.entryOf(span.spanId);
  const { name, detail } = entry ? titleOf(entry) : { name: kindWords(span), detail: detailOf(span) };
  const step = entry && timeline.steps[entry.step];
  const { words, time } = outcomeOf(
    span.endMs === null ? { ...span, endMs: endOf(span, nowMs), status: 'running' } : span,
  );
  return {
    name,
    detail,
    step: step ? stepWords(timeline, step) : '',
    outcome: [words, time].filter((it) => it !== '').join(', '),
    tone: toneOf(span),
  };
}

function detailOf(span: TraceSpan): string {
  return span.kind === 'turn' || span.kind === 'tool_registration' ? '' : span.name;
}

export function isProblem(span: TraceSpan): boolean {
  return (
    span.status === 'failed' ||
    span.status === 'refused' ||
    span.kind === 'error' ||
    span.kind === 'duplicate_tool_call'
  );
}

/** Every span that the filter lets through, in the order of their starts. */
export function filtered(timeline: Timeline, filter: Filter): TraceSpan[] {
  const words = filter.text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const out: TraceSpan[] = [];
  for (const span of timeline.spans.values()) {
    if (filter.problems && !isProblem(span)) continue;
    if (filter.kind !== '' && span.kind !== filter.kind) continue;
    if (filter.phase !== '' && span.phase !== filter.phase) continue;
    if (filter.status !== '' && span.status !== filter.status) continue;
    if (filter.tool !== '' && !(isCall(span) && span.name === filter.tool)) continue;
    if (words.length > 0) {
      const text = textOf(timeline, span, timeline.entryOf(span.spanId));
      if (!words.every((word) => text.includes(word))) continue;
    }
    out.push(span);
  }
  return out;
}

/** Characters of a name or an argument that are searched. */
const SEARCHED = 2_000;

function textOf(timeline: Timeline, span: TraceSpan, entry: Entry | null): string {
  const { name, detail } = entry ? titleOf(entry) : { name: kindWords(span), detail: span.name };
  const step = entry && timeline.steps[entry.step];
  const texts = [name, detail, span.name].map((text) => text.slice(0, SEARCHED));
  return [...texts, kindWords(span), span.status, step ? stepWords(timeline, step) : ''].join(' ').toLowerCase();
}

function isCall({ kind }: TraceSpan): boolean {
  return kind === 'tool_call' || kind === 'duplicate_tool_call';
}

/** What there is to choose from. */
export function choicesOf(timeline: Timeline): {
  kinds: string[];
  phases: string[];
  statuses: string[];
  tools: string[];
} {
  const sets = {
    kinds: new Set<string>(),
    phases: new Set<string>(),
    statuses: new Set<string>(),
    tools: new Set<string>(),
  };
  for (const span of timeline.spans.values()) {
    sets.kinds.add(span.kind);
    sets.phases.add(span.phase);
    sets.statuses.add(span.status);
    if (isCall(span)) sets.tools.add(span.name);
  }
  return {
    kinds: [...sets.kinds],
    phases: [...sets.phases],
    statuses: [...sets.statuses],
    tools: [...sets.tools].sort(),
  };
}
