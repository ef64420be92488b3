// What is known of a span, in words for a person, and as the JSON that it came as.

import type { TraceSpan } from '$lib/generated/TraceSpan';
import type { Usage } from '$lib/generated/Usage';
import { plain } from '../plain';
import { bytes, count, duration, number } from '../words';
import { attribute, endOf, type Entry, numberAttribute, PART_WORDS, textAttribute } from './entry';
import { partsOf } from './parts';
import { stepWords, type Timeline } from './timeline';

export type Fact = [name: string, value: string];

const KIND_WORDS: Partial<Record<string, string>> = {
  turn: 'Turn', orchestration_phase: 'Phase', model_call: 'Model call', tool_registration: 'Tools on offer', tool_call: 'Tool call', tool_result: 'Result',
  duplicate_tool_call: 'Repeat, not run again', calls_blocked: 'Calls that were not run', approval: 'Approval', pause: 'Pause', question: 'Question', steer: 'Message to the turn',
  write_session: 'Write', compaction: 'Compaction', context_cut: 'Left the conversation', error: 'Error', retry: 'Tried again', stop: 'Stopped',
};

export function kindWords(span: TraceSpan): string {
  return KIND_WORDS[span.kind] ?? plain(String(span.kind).replaceAll('_', ' '), 40);
}

const STATUS_WORDS: Partial<Record<string, string>> = { running: 'running', ok: 'done', refused: 'refused', failed: 'failed', stopped: 'stopped' };

/** What can be told of any span: when, how long, where, how it ended. */
export function factsFor(timeline: Timeline, span: TraceSpan, entry: Entry | null, nowMs: number): Fact[] {
  const facts: Fact[] = [];
  const step = entry && timeline.steps[entry.step];
  if (step) facts.push(['In', stepWords(timeline, step)]);
  facts.push(['Began', `${duration(Math.max(span.startMs - timeline.startMs, 0))} after the message`]);
  if (span.endMs === null || span.endMs > span.startMs) facts.push(['Took', span.endMs === null ? `${duration(endOf(span, nowMs) - span.startMs)} so far` : duration(span.endMs - span.startMs)]);
  facts.push(['Outcome', outcomeWords(span)]);
  if (entry && entry.sort !== 'wait') for (const { sort, fromMs, toMs } of partsOf(entry, nowMs)) facts.push([PART_WORDS[sort], duration(toMs - fromMs)]);
  return [...facts, ...ofAttributes(span)].map(([name, value]) => [name, plain(value)]);
}

function outcomeWords(span: TraceSpan): string {
  const status = textAttribute(span, 'status');
  const words = STATUS_WORDS[span.status] ?? span.status;
  return status === null || status === span.status || (status === 'written' && span.status === 'ok') ? words : `${words} (${status.replaceAll('_', ' ')})`;
}

function ofAttributes(span: TraceSpan): Fact[] {
  const facts: Fact[] = [];
  const text = (name: string, label: string, as: (value: string) => string = (value) => value) => {
    const value = textAttribute(span, name);
    if (value !== null && value !== '') facts.push([label, as(value)]);
  };
  const size = (name: string, label: string) => {
    const value = numberAttribute(span, name);
    if (value !== null) facts.push([label, bytes(value)]);
  };
  const spaced = (value: string) => value.replaceAll('_', ' ');
  if (span.kind === 'model_call' || span.kind === 'turn') facts.push(...tokenFacts(attribute(span, 'usage')));
  text('model', 'Model');
  text('endpoint', 'Endpoint');
  text('route', 'Route', spaced);
  text('finishReason', 'The provider ended it with');
  text('summary', 'Gave');
  text('path', 'File');
  text('operation', 'Operation');
  size('bytes', 'Size');
  if (attribute(span, 'truncated') === true) facts.push(['Cut', 'the model was given less than there is']);
  text('code', 'Code');
  if (span.kind === 'error' || (span.kind as string) === 'retry') text('message', 'What happened');
  const delay = numberAttribute(span, 'delayMs');
  if (delay !== null) facts.push(['Tried again after', duration(delay)]);
  if (span.kind === 'duplicate_tool_call') {
    const [times, limit] = [numberAttribute(span, 'count'), numberAttribute(span, 'limit')];
    if (times !== null && limit !== null) facts.push(['Repeat', `${times} of ${limit} before the turn ends`]);
    text('original', 'The same as call');
  }
  if (span.kind === 'approval') {
    const granted = attribute(span, 'granted');
    if (typeof granted === 'boolean') facts.push(['Your answer', granted ? 'allowed' : 'not allowed']);
    text('reason', 'Your reason');
    text('keptAs', 'Kept for the future as');
  }
  text('answer', 'Your answer');
  text('choice', 'Your choice', spaced);
  if (span.kind === 'steer') text('text', 'You wrote');
  const offered = numberAttribute(span, 'count');
  if (span.kind === 'tool_registration' && offered !== null) facts.push(['Offered', count(offered, 'tool')]);
  text('tools', 'Names');
  text('names', 'Names');
  const [before, after] = [numberAttribute(span, 'tokensBefore'), numberAttribute(span, 'tokensAfter')];
  if (before !== null && after !== null) facts.push(['Conversation', `${number(before)} tokens before, ${number(after)} after`]);
  return facts;
}

/** The tokens of a call: fresh and from the provider's cache; back, and of them reasoning. */
export function tokenFacts(usage: unknown): Fact[] {
  if (typeof usage !== 'object' || usage === null) return [];
  const { promptTokens, cachedTokens, completionTokens, reasoningTokens, estimated } = usage as Partial<Usage>;
  const about = estimated ? 'about ' : '';
  const facts: Fact[] = [];
  if (typeof promptTokens === 'number') {
    const cached = typeof cachedTokens === 'number' ? `, ${number(Math.max(promptTokens - cachedTokens, 0))} of them fresh and ${number(cachedTokens)} cached` : '';
    facts.push(['Tokens sent', `${about}${number(promptTokens)}${cached}`]);
  }
  if (typeof completionTokens === 'number') {
    const reasoning = typeof reasoningTokens === 'number' && reasoningTokens > 0 ? `, ${number(reasoningTokens)} of them reasoning` : '';
    facts.push(['Tokens back', `${about}${number(completionTokens)}${reasoning}`]);
  }
  return facts;
}

/** Characters of a text that are put on the page: more of it is copied, not shown. */
export const MOST_SHOWN = 100_000;

export function shown(text: string): { text: string; rest: number } {
  return text.length <= MOST_SHOWN ? { text, rest: 0 } : { text: text.slice(0, MOST_SHOWN), rest: text.length - MOST_SHOWN };
}

/** Nested too deeply to be written, it is told so: what comes from a file may be anything. */
export function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2) ?? 'null';
  } catch {
    return '"This is nested too deeply to be shown."';
  }
}
