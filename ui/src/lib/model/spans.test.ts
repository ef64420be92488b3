import { expect, test } from 'vitest';
import type { TraceSpan } from '$lib/generated/TraceSpan';
import { outcomeOf } from './spans';

const span = (patch: Partial<TraceSpan>): TraceSpan => ({
  requestId: 't-1',
  sessionId: 's-1',
  projectId: 'p-1',
  spanId: 2,
  parentId: 1,
  kind: 'tool_call',
  name: 'read_file',
  startMs: 100,
  endMs: 100,
  phase: 'tool_phase',
  toolBatchId: 1,
  status: 'ok',
  attributes: {},
  ...patch,
});

test('what marks a moment shows what became of it, and no time', () => {
  expect(outcomeOf(span({ kind: 'tool_result', name: '32 lines' }))).toEqual({ words: 'ok', time: '' });
  expect(outcomeOf(span({ kind: 'duplicate_tool_call', status: 'refused' }))).toEqual({ words: 'refused', time: '' });
  // X6: no tool ran.
  expect(outcomeOf(span({ kind: 'tool_call', attributes: { status: 'reused' } }))).toEqual({
    words: 'unchanged',
    time: '',
  });
  expect(outcomeOf(span({ kind: 'error', status: 'failed' }))).toEqual({ words: 'failed', time: '' });
  const tools = span({ kind: 'tool_registration', name: 'tools', attributes: { count: 4, tools: 'a, b, c, d' } });
  expect(outcomeOf(tools)).toEqual({ words: '4 tools', time: '' });
});

test('what takes time shows it, even when it took none', () => {
  expect(outcomeOf(span({}))).toEqual({ words: '', time: '0 ms' });
  expect(outcomeOf(span({ status: 'failed', endMs: 350 }))).toEqual({ words: 'failed', time: '250 ms' });
  expect(outcomeOf(span({ status: 'running', endMs: null }))).toEqual({ words: '', time: 'running' });
});
