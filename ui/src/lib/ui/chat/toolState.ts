// A tool call's state as a word, a line and a colour.

import type { ToolStatus } from '$lib/generated/ToolStatus';
import type { ItemOf } from '$lib/model/item';
import type { Tone } from '$lib/model/status';
import type { Turn } from '$lib/model/turn';

export interface ToolState {
  name: 'waiting' | 'running' | 'ok' | 'failed' | 'refused';
  tone: Tone;
  label: string;
  words: string;
}

const ENDED: Record<ToolStatus, Pick<ToolState, 'name' | 'tone' | 'label'>> = {
  ok: { name: 'ok', tone: 'tool', label: 'Done' },
  failed: { name: 'failed', tone: 'problem', label: 'Failed' },
  denied: { name: 'refused', tone: 'problem', label: 'Denied' },
  timed_out: { name: 'failed', tone: 'problem', label: 'Timed out' },
  cancelled: { name: 'refused', tone: 'calm', label: 'Cancelled' },
  duplicate: { name: 'refused', tone: 'waiting', label: 'Not run again' },
  reused: { name: 'ok', tone: 'tool', label: 'Unchanged' },
  malformed: { name: 'failed', tone: 'problem', label: 'Not run: the arguments were cut off or invalid' },
};

export function stateOf(turn: Turn, tool: ItemOf<'tool'>): ToolState {
  if (tool.outcome) {
    const ended = ENDED[tool.outcome.status];
    return { ...ended, words: tool.outcome.summary || ended.label };
  }
  if (turn.end || turn.interrupted) return { name: 'refused', tone: 'calm', label: 'Not finished', words: 'not finished' };
  if (turn.questioning) {
    const asked = turn.questioning.callId === tool.callId;
    return { name: 'waiting', tone: asked ? 'waiting' : 'tool', label: asked ? 'Waiting for your answer' : 'Its turn comes next', words: asked ? 'waiting for your answer' : '' };
  }
  if (turn.asking) {
    const asked = turn.asking.callId === tool.callId;
    return asked
      ? { name: 'waiting', tone: 'waiting', label: 'Waiting for your approval', words: 'waiting for your approval' }
      : { name: 'waiting', tone: 'tool', label: 'Its turn comes next', words: '' };
  }
  if (turn.phase.phase === 'tool_phase') return { name: 'running', tone: 'tool', label: 'Running', words: 'running' };
  return { name: 'running', tone: 'tool', label: 'About to run', words: '' };
}
