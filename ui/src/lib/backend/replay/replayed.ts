// What a replay of a recorded turn comes to: a turn that failed is not what was recorded.

import type { Replay } from '$lib/generated/Replay';
import type { Recording } from './recording';

export function replayedOf(recording: Recording): Replay {
  const envelopes = recording.envelopes();
  const { requestId } = recording.ids;
  const same: Replay = { requestId, events: envelopes.length, unknownFlags: [], difference: null };
  if (envelopes.at(-1)?.event.type !== 'failed') return same;
  const at = Math.max(
    0,
    envelopes.findIndex(({ event }) => event.type === 'phase_ended'),
  );
  const { seq, phase, toolBatchId, event } = envelopes[at] ?? {
    seq: 1,
    phase: 'action_phase' as const,
    toolBatchId: null,
    event: { type: 'phase_ended' },
  };
  return {
    ...same,
    unknownFlags: [7],
    difference: {
      number: at + 1,
      seq,
      phase,
      toolBatchId,
      event: event.type,
      field: 'event.finishReason',
      recorded: '"stop"',
      replayed: 'null',
    },
  };
}
