// A turn's spans as an outline: each under its parent, in the order of their starts (J2).

import type { TraceSpan } from '$lib/generated/TraceSpan';
import type { Tone } from './status';

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

export function toneOf(span: TraceSpan): Tone {
  if (span.status === 'failed' || span.kind === 'error') return 'problem';
  if (span.status === 'refused' || span.kind === 'duplicate_tool_call' || span.kind === 'approval') return 'waiting';
  if (span.kind === 'write_session') return 'write';
  if (span.kind === 'turn') return 'calm';
  return span.phase === 'tool_phase' ? 'tool' : span.phase === 'action_phase' ? 'action' : 'calm';
}
