// A turn's spans as an outline: each under its parent, in the order of their starts (J2).

import type { TraceKind } from '$lib/generated/TraceKind';
import type { TraceSpan } from '$lib/generated/TraceSpan';
import type { Tone } from './status';
import { argument, count, duration } from './words';

export interface OutlineRow {
  span: TraceSpan;
  depth: number;
}

export function outline(spans: readonly TraceSpan[]): OutlineRow[] {
  const known = new Set(spans.map((span) => span.spanId));
  const children = new Map<number | null, TraceSpan[]>();
  for (const span of spans) {
    // A parent that is missing or not older than its child is no parent: hostile input must not make a loop.
    const parent = span.parentId !== null && span.parentId < span.spanId && known.has(span.parentId) ? span.parentId : null;
    children.set(parent, [...(children.get(parent) ?? []), span]);
  }
  const rows: OutlineRow[] = [];
  const visit = (parent: number | null, depth: number) => {
    for (const span of children.get(parent) ?? []) {
      rows.push({ span, depth });
      visit(span.spanId, depth + 1);
    }
  };
  visit(null, 0);
  return rows;
}

export function nameOf(span: TraceSpan): string {
  return span.kind === 'tool_registration' ? 'tools on offer' : span.name;
}

/** These mark a moment: how long they took says nothing, so they show what became of them. */
const MOMENTS: ReadonlySet<TraceKind> = new Set<TraceKind>(['tool_registration', 'tool_result', 'duplicate_tool_call', 'error']);

/** What stands at the end of a row: the words of the outcome, where there is one to tell, and then the time. */
export function outcomeOf(span: TraceSpan): { words: string; time: string } {
  if (span.endMs === null) return { words: '', time: 'running' };
  // X6: nothing ran.
  if ((span.attributes as { status?: unknown }).status === 'reused') return { words: 'unchanged', time: '' };
  if (span.endMs === span.startMs && MOMENTS.has(span.kind)) {
    const { count: offered } = span.attributes as { count?: unknown };
    return { words: typeof offered === 'number' ? count(offered, 'tool') : span.status, time: '' };
  }
  return { words: span.status === 'ok' ? '' : span.status, time: duration(span.endMs - span.startMs) };
}

/** What an opened row lists, each name once: an attribute says it more exactly than the span does, `timed_out` for `failed`. */
export function factsOf(span: TraceSpan, turnStartMs: number): [name: string, value: string][] {
  const facts = new Map([
    ['kind', span.kind.replaceAll('_', ' ')],
    ['status', span.status as string],
    ['begins at', duration(span.startMs - turnStartMs)],
  ]);
  for (const [name, value] of Object.entries(span.attributes)) facts.set(name, argument(value));
  return [...facts];
}

export function toneOf(span: TraceSpan): Tone {
  if (span.status === 'failed' || span.kind === 'error') return 'problem';
  if (span.status === 'refused' || span.kind === 'duplicate_tool_call' || span.kind === 'approval') return 'waiting';
  if (span.kind === 'write_session') return 'write';
  if (span.kind === 'turn') return 'calm';
  return span.phase === 'tool_phase' ? 'tool' : span.phase === 'action_phase' ? 'action' : 'calm';
}
