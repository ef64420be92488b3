// A tool call's state as a word, a line and a colour.

import type { ToolStatus } from '$lib/generated/ToolStatus';
import { endWords } from '$lib/model/command';
import type { ItemOf } from '$lib/model/item';
import { asks } from '$lib/model/pending';
import type { Tone } from '$lib/model/status';
import type { Turn } from '$lib/model/turn';
import { words } from '$lib/words';

export interface ToolState {
  name: 'waiting' | 'running' | 'ok' | 'failed' | 'refused';
  tone: Tone;
  label: string;
  words: string;
}

const ENDED: Record<ToolStatus, Pick<ToolState, 'name' | 'tone' | 'label'>> = {
  ok: { name: 'ok', tone: 'tool', label: words.toolStates.ok },
  failed: { name: 'failed', tone: 'problem', label: words.toolStates.failed },
  denied: { name: 'refused', tone: 'problem', label: words.toolStates.denied },
  timed_out: { name: 'failed', tone: 'problem', label: words.toolStates.timed_out },
  cancelled: { name: 'refused', tone: 'calm', label: words.toolStates.cancelled },
  duplicate: { name: 'refused', tone: 'calm', label: words.toolStates.duplicate },
  reused: { name: 'ok', tone: 'tool', label: words.toolStates.reused },
  malformed: { name: 'failed', tone: 'problem', label: words.toolStates.malformed },
};

export function stateOf(turn: Turn, tool: ItemOf<'tool'>): ToolState {
  if (tool.outcome) {
    const ended = ENDED[tool.outcome.status];
    const { command } = tool.outcome;
    if (command) return { ...ended, label: endWords(command.ended), words: endWords(command.ended) };
    return { ...ended, words: tool.outcome.summary || ended.label };
  }
  if (turn.end || turn.interrupted)
    return {
      name: 'refused',
      tone: 'calm',
      label: words.toolStates.notFinished,
      words: words.toolStates.notFinishedFact,
    };
  const asked = asks(turn, 'call', 'write', 'questions');
  if (asked) {
    if (asked.toolCallId !== tool.callId)
      return { name: 'waiting', tone: 'tool', label: words.toolStates.comesNext, words: '' };
    return asked.type === 'questions'
      ? {
          name: 'waiting',
          tone: 'waiting',
          label: words.toolStates.waitsForAnswer,
          words: words.toolStates.waitsForAnswerFact,
        }
      : {
          name: 'waiting',
          tone: 'waiting',
          label: words.toolStates.waitsForApproval,
          words: words.toolStates.waitsForApprovalFact,
        };
  }
  if (turn.phase.phase === 'tool_phase')
    return { name: 'running', tone: 'tool', label: words.toolStates.running, words: words.toolStates.runningFact };
  return { name: 'running', tone: 'tool', label: words.toolStates.aboutToRun, words: '' };
}
