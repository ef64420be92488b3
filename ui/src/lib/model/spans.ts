// What became of a span, and its colour (J2).

import type { TraceKind } from '$lib/generated/TraceKind';
import type { TraceSpan } from '$lib/generated/TraceSpan';
import { words } from '$lib/words';
import type { Tone } from './status';
import { duration } from './words';

/** These mark a moment: how long they took says nothing, so they show what became of them. */
const MOMENTS: ReadonlySet<TraceKind> = new Set<TraceKind>([
  'tool_registration',
  'tool_result',
  'duplicate_tool_call',
  'compaction',
  'error',
]);

/** What stands at the end of a row: the words of the outcome, where there is one to tell, and then the time. */
export function outcomeOf(span: TraceSpan): { words: string; time: string } {
  if (span.endMs === null) return { words: '', time: words.spans.running };
  // X6: nothing ran.
  if ((span.attributes as { status?: unknown }).status === 'reused') return { words: words.spans.unchanged, time: '' };
  if (span.endMs === span.startMs && MOMENTS.has(span.kind)) {
    const { count: offered } = span.attributes as { count?: unknown };
    return { words: typeof offered === 'number' ? words.spans.offered(offered) : span.status, time: '' };
  }
  return { words: span.status === 'ok' ? '' : span.status, time: duration(span.endMs - span.startMs) };
}

export function toneOf(span: TraceSpan): Tone {
  if (span.status === 'failed' || span.kind === 'error') return 'problem';
  if (span.status === 'refused' || span.kind === 'duplicate_tool_call' || span.kind === 'approval') return 'waiting';
  if (span.kind === 'write_session') return 'write';
  if (span.kind === 'turn') return 'calm';
  return span.phase === 'tool_phase' ? 'tool' : span.phase === 'action_phase' ? 'action' : 'calm';
}
