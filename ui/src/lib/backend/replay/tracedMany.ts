// A turn of as many spans as a session may have in a year: what the trace makes of it must not depend on how many there are.

import type { TraceSpan } from '$lib/generated/TraceSpan';
import type { TurnIds } from '$lib/generated/TurnIds';

/** Five spans for each model call with its tool. */
const STEP_SPANS = 5;
const STEP_MS = 1_000;

export function manySpans(ids: TurnIds, startMs: number, spans: number): TraceSpan[] {
  const out: TraceSpan[] = [];
  const add = (
    kind: TraceSpan['kind'],
    name: string,
    fromMs: number,
    toMs: number,
    attributes: Record<string, unknown>,
    more: Partial<TraceSpan> = {},
  ) =>
    out.push({
      ...ids,
      spanId: out.length + 1,
      parentId: out.length === 0 ? null : 1,
      kind,
      name,
      startMs: startMs + fromMs,
      endMs: startMs + toMs,
      phase: name === 'read_file' || name.startsWith('tool') ? 'tool_phase' : 'action_phase',
      toolBatchId: null,
      status: 'ok',
      attributes,
      ...more,
    });
  const steps = Math.floor(spans / STEP_SPANS);
  add('turn', 'turn', 0, steps * STEP_MS, {});
  for (let step = 0; step < steps; step += 1) {
    const at = step * STEP_MS;
    const callMs = 200 + ((step * 137) % 700);
    const toolCallId = `many-${step}`;
    add('orchestration_phase', 'action', at, at + callMs, { cycle: step });
    add('model_call', 'model call', at, at + callMs, { firstChunkMs: callMs - 100 }, { call: step + 1 });
    add('orchestration_phase', `tool ${step + 1}`, at + callMs, at + STEP_MS, { cycle: step + 1 });
    add('tool_call', 'read_file', at + callMs, at + callMs + 20, {
      toolCallId,
      arguments: JSON.stringify({ path: `src/${step}/fox.rs` }),
    });
    add('tool_result', '12 lines', at + callMs + 20, at + callMs + 20, { toolCallId, summary: '12 lines' });
  }
  return out;
}
