import { expect, test } from 'vitest';
import type { TraceSpan } from '$lib/generated/TraceSpan';
import { factsOf, nameOf, outcomeOf, outline } from './spans';

const span = (patch: Partial<TraceSpan>): TraceSpan => ({
  requestId: 't-1', sessionId: 's-1', projectId: 'p-1', spanId: 2, parentId: 1, kind: 'tool_call', name: 'read_file', startMs: 100, endMs: 100,
  phase: 'tool_phase', toolBatchId: 1, status: 'ok', attributes: {}, ...patch,
});

test('what marks a moment shows what became of it, and no time', () => {
  expect(outcomeOf(span({ kind: 'tool_result', name: '32 lines' }))).toEqual({ words: 'ok', time: '' });
  expect(outcomeOf(span({ kind: 'duplicate_tool_call', status: 'refused' }))).toEqual({ words: 'refused', time: '' });
  // X6: no tool ran.
  expect(outcomeOf(span({ kind: 'tool_call', attributes: { status: 'reused' } }))).toEqual({ words: 'unchanged', time: '' });
  expect(outcomeOf(span({ kind: 'error', status: 'failed' }))).toEqual({ words: 'failed', time: '' });
  const tools = span({ kind: 'tool_registration', name: 'tools', attributes: { count: 4, tools: 'a, b, c, d' } });
  expect([nameOf(tools), outcomeOf(tools)]).toEqual(['tools on offer', { words: '4 tools', time: '' }]);
});

test('what takes time shows it, even when it took none', () => {
  expect([nameOf(span({})), outcomeOf(span({}))]).toEqual(['read_file', { words: '', time: '0 ms' }]);
  expect(outcomeOf(span({ status: 'failed', endMs: 350 }))).toEqual({ words: 'failed', time: '250 ms' });
  expect(outcomeOf(span({ status: 'running', endMs: null }))).toEqual({ words: '', time: 'running' });
});

test('J2: what an opened row lists has each name once, whatever the core calls its attributes', () => {
  const attributes = { toolCallId: 'call-1', status: 'timed_out', durationMs: 250, code: null };
  expect(factsOf(span({ startMs: 350, status: 'failed', attributes }), 100)).toEqual([
    ['kind', 'tool call'], ['status', 'timed_out'], ['begins at', '250 ms'], ['toolCallId', 'call-1'], ['durationMs', '250'], ['code', 'null'],
  ]);
});

test('X2: an opened model call says how many tokens were fresh and how many the provider had cached', () => {
  const usage = { promptTokens: 2_040, cachedTokens: 1_800, completionTokens: 96, reasoningTokens: 12, estimated: false };
  const facts = (of: unknown) => factsOf(span({ kind: 'model_call', attributes: { usage: of } }), 100).slice(3);
  expect(facts(usage)).toEqual([['tokens sent', '2,040, 1,800 cached, 240 fresh'], ['tokens back', '96, 12 of them reasoning']]);
  expect(facts({ ...usage, cachedTokens: null, reasoningTokens: null, estimated: true })).toEqual([['tokens sent', 'about 2,040'], ['tokens back', 'about 96']]);
  expect(facts(null)).toEqual([]);
});

test('a model call has its number in the turn, whatever stands between', () => {
  const spans = [span({ spanId: 1, parentId: null, kind: 'turn' }), span({ spanId: 2, kind: 'model_call' }), span({ spanId: 3 }), span({ spanId: 4, kind: 'model_call' })];
  expect(outline(spans).map(({ call }) => call)).toEqual([null, 1, null, 2]);
});
