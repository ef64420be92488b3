import { expect, test } from 'vitest';

import type { PendingOf } from '$lib/generated/PendingOf';
import type { TurnEvent } from '$lib/generated/TurnEvent';
import { interruption } from './resuming';
import { emptyTurn, foldEnvelope, type Turn } from './turn';

const IDS = { requestId: 'r', sessionId: 's', projectId: 'p' };

function after(...events: TurnEvent[]): Turn {
  const envelope = (event: TurnEvent, at: number) => {
    const phase = events.slice(0, at + 1).some(({ type }) => type === 'tool_call')
      ? ('tool_phase' as const)
      : ('action_phase' as const);
    return { v: 1, ...IDS, seq: at + 1, atMs: at, phase, toolBatchId: null, event };
  };
  return events.map(envelope).reduce(foldEnvelope, emptyTurn(IDS));
}

const action = (isFinal: boolean): TurnEvent => ({
  type: 'phase_started',
  cycle: 0,
  modelCall: 1,
  write: null,
  isFinal,
});
const tools: TurnEvent = { type: 'phase_started', cycle: 1, modelCall: null, write: null, isFinal: false };
const call: TurnEvent = { type: 'tool_call', toolCallId: 'c', name: 'read_file', arguments: {}, signature: 'x' };
const of: PendingOf = { type: 'call', toolCallId: 'c', name: 'read_file', summary: '{}', by: 'default', keeps: null };
const asked: TurnEvent = { type: 'asked', digest: 'd'.repeat(64), of };
const died: TurnEvent = { type: 'interrupted' };

test('A5: what was under way is said, and what resuming does', () => {
  const next = (...events: TurnEvent[]) => interruption(after(...events, died)).next;
  expect(next(action(false))).toBe('The model will be asked to continue from there, which takes one step.');
  expect(next(action(true))).toBe('It was the last answer of the turn, so resuming ends the turn with what arrived.');
  expect(next(action(false), call, tools)).toBe('read_file will run again; what has a result will not.');
  expect(next(action(false), call, tools, asked)).toBe('Resuming asks you again.');
});

test('A7: a question that was open when the process died is open still', () => {
  expect(after(action(false), call, tools, asked, died).pending?.digest).toBe('d'.repeat(64));
});
