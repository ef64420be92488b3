// A turn's spans as an outline: each under its parent, in the order of their starts (J2).

import type { TraceKind } from '$lib/generated/TraceKind';
import type { TraceSpan } from '$lib/generated/TraceSpan';
import type { Usage } from '$lib/generated/Usage';
import type { Tone } from './status';
import { argument, count, duration, number } from './words';

export interface OutlineRow {
  span: TraceSpan;
  depth: number;
  /** Of a model call: its number in the turn, from 1. */
  call: number | null;
}

export function outline(spans: readonly TraceSpan[]): OutlineRow[] {
  const known = new Set(spans.map((span) => span.spanId));
  const children = new Map<number | null, TraceSpan[]>();
  for (const span of spans) {
    // A parent that is missing or not older than its child is no parent: hostile input must not make a loop.
    const parent = span.parentId !== null && span.parentId < span.spanId && known.has(span.parentId) ? span.parentId : null;
    children.set(parent, [...(children.get(parent) ?? []), span]);
  }
  const calls = spans.filter(({ kind }) => kind === 'model_call').map(({ spanId }) => spanId).sort((a, b) => a - b);
  const rows: OutlineRow[] = [];
  const visit = (parent: number | null, depth: number) => {
    for (const span of children.get(parent) ?? []) {
      rows.push({ span, depth, call: span.kind === 'model_call' ? calls.indexOf(span.spanId) + 1 : null });
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
const MOMENTS: ReadonlySet<TraceKind> = new Set<TraceKind>(['tool_registration', 'tool_result', 'duplicate_tool_call', 'compaction', 'error']);

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
  for (const [name, value] of Object.entries(span.attributes)) {
    if (name === 'usage') for (const [part, words] of usageOf(value)) facts.set(part, words);
    else facts.set(name, argument(value));
  }
  return [...facts];
}

/** The tokens of a model call: those that were sent, fresh and from the provider's cache, and those that came back. */
function usageOf(usage: unknown): [name: string, value: string][] {
  if (typeof usage !== 'object' || usage === null) return [];
  const { promptTokens, cachedTokens, completionTokens, reasoningTokens, estimated } = usage as Partial<Usage>;
  const about = estimated ? 'about ' : '';
  const facts: [string, string][] = [];
  if (typeof promptTokens === 'number') {
    const cached = typeof cachedTokens === 'number' ? `, ${number(cachedTokens)} cached, ${number(Math.max(promptTokens - cachedTokens, 0))} fresh` : '';
    facts.push(['tokens sent', `${about}${number(promptTokens)}${cached}`]);
  }
  if (typeof completionTokens === 'number') {
    const reasoning = typeof reasoningTokens === 'number' && reasoningTokens > 0 ? `, ${number(reasoningTokens)} of them reasoning` : '';
    facts.push(['tokens back', `${about}${number(completionTokens)}${reasoning}`]);
  }
  return facts;
}

export function toneOf(span: TraceSpan): Tone {
  if (span.status === 'failed' || span.kind === 'error') return 'problem';
  if (span.status === 'refused' || span.kind === 'duplicate_tool_call' || span.kind === 'approval') return 'waiting';
  if (span.kind === 'write_session') return 'write';
  if (span.kind === 'turn') return 'calm';
  return span.phase === 'tool_phase' ? 'tool' : span.phase === 'action_phase' ? 'action' : 'calm';
}
