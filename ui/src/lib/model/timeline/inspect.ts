// What is known of a span, in words for a person, and as the JSON that it came as.

import type { TraceSpan } from '$lib/generated/TraceSpan';
import type { Usage } from '$lib/generated/Usage';
import { words } from '$lib/words';
import { plain } from '../plain';
import { argument, dollars, duration } from '../words';
import { attribute, endOf, type Entry, numberAttribute, PART_WORDS, textAttribute } from './entry';
import { partsOf } from './parts';
import { stepWords, type Timeline } from './timeline';

const say = words.spanFacts;

export type Fact = [name: string, value: string];

export function kindWords(span: TraceSpan): string {
  return words.spans.kinds[span.kind] ?? plain(String(span.kind).replaceAll('_', ' '), 40);
}

/** What can be told of any span: when, how long, where, how it ended. */
export function factsFor(timeline: Timeline, span: TraceSpan, entry: Entry | null, nowMs: number): Fact[] {
  const facts: Fact[] = [];
  const step = entry && timeline.steps[entry.step];
  if (step) facts.push([say.in, stepWords(timeline, step)]);
  facts.push([say.began, say.beganAfter(Math.max(span.startMs - timeline.startMs, 0))]);
  if (span.endMs === null || span.endMs > span.startMs)
    facts.push([
      say.took,
      span.endMs === null ? say.soFar(endOf(span, nowMs) - span.startMs) : duration(span.endMs - span.startMs),
    ]);
  facts.push([say.outcome, outcomeWords(span)]);
  if (entry && entry.sort !== 'wait')
    for (const { sort, fromMs, toMs } of partsOf(entry, nowMs)) facts.push([PART_WORDS[sort], duration(toMs - fromMs)]);
  return [...facts, ...ofAttributes(span)].map(([name, value]) => [name, plain(value)]);
}

function outcomeWords(span: TraceSpan): string {
  const status = textAttribute(span, 'status');
  const outcome = words.spans.statuses[span.status] ?? span.status;
  return status === null || status === span.status || (status === 'written' && span.status === 'ok')
    ? outcome
    : say.outcomeOf(outcome, status.replaceAll('_', ' '));
}

function ofAttributes(span: TraceSpan): Fact[] {
  const facts: Fact[] = [];
  const text = (name: string, label: string, as: (value: string) => string = (value) => value) => {
    const value = textAttribute(span, name);
    if (value !== null && value !== '') facts.push([label, as(value)]);
  };
  const size = (name: string, label: string) => {
    const value = numberAttribute(span, name);
    if (value !== null) facts.push([label, say.size(value)]);
  };
  const spaced = (value: string) => value.replaceAll('_', ' ');
  if (span.kind === 'model_call' || span.kind === 'turn') facts.push(...tokenFacts(attribute(span, 'usage')));
  const cost = numberAttribute(span, 'costUsd');
  if (cost !== null) facts.push([say.cost, dollars(cost)]);
  text('model', say.model);
  text('endpoint', say.endpoint);
  text('route', say.route, spaced);
  text('finishReason', say.finishReason);
  const made = attribute(span, 'made');
  if (typeof made === 'object' && made !== null) {
    const { name, arguments: args } = made as { name?: unknown; arguments?: unknown };
    if (typeof name === 'string') facts.push([say.made, say.madeAs(name, argument(args))]);
  }
  if (attribute(span, 'leaked') === true) facts.push([say.leaked, say.leakedWhat]);
  text('summary', say.summary);
  text('path', say.path);
  text('operation', say.operation);
  size('bytes', say.bytes);
  if (attribute(span, 'truncated') === true) facts.push([say.truncated, say.truncatedWhat]);
  text('code', say.code);
  if (span.kind === 'error' || (span.kind as string) === 'retry') text('message', say.message);
  const delay = numberAttribute(span, 'delayMs');
  if (delay !== null) facts.push([say.delay, duration(delay)]);
  if (span.kind === 'duplicate_tool_call') {
    const [times, limit] = [numberAttribute(span, 'count'), numberAttribute(span, 'limit')];
    if (times !== null && limit !== null) facts.push([say.repeat, say.repeatOf(times, limit)]);
    text('original', say.original);
  }
  if (span.kind === 'approval') {
    const granted = attribute(span, 'granted');
    if (typeof granted === 'boolean') facts.push([say.answer, granted ? say.allowed : say.notAllowed]);
    text('reason', say.reason);
    text('keptAs', say.keptAs);
  }
  text('answer', say.answer);
  text('choice', say.choice, spaced);
  if (span.kind === 'steer') text('text', say.wrote);
  const offered = numberAttribute(span, 'count');
  if (span.kind === 'tool_registration' && offered !== null) facts.push([say.offered, say.offeredTools(offered)]);
  text('tools', say.names);
  text('names', say.names);
  const [before, after] = [numberAttribute(span, 'tokensBefore'), numberAttribute(span, 'tokensAfter')];
  if (before !== null && after !== null) facts.push([say.conversation, say.tokensBeforeAfter(before, after)]);
  return facts;
}

/** The tokens of a call: fresh and from the provider's cache; back, and of them reasoning. */
export function tokenFacts(usage: unknown): Fact[] {
  if (typeof usage !== 'object' || usage === null) return [];
  const { promptTokens, cachedTokens, completionTokens, reasoningTokens, estimated } = usage as Partial<Usage>;
  const facts: Fact[] = [];
  if (typeof promptTokens === 'number') {
    facts.push([
      say.tokensSent,
      say.sent(promptTokens, typeof cachedTokens === 'number' ? cachedTokens : null, estimated === true),
    ]);
  }
  if (typeof completionTokens === 'number') {
    facts.push([
      say.tokensBack,
      say.back(
        completionTokens,
        typeof reasoningTokens === 'number' ? Math.max(reasoningTokens, 0) : 0,
        estimated === true,
      ),
    ]);
  }
  return facts;
}

/** Characters of a text that are put on the page: more of it is copied, not shown. */
export const MOST_SHOWN = 100_000;

export function shown(text: string): { text: string; rest: number } {
  return text.length <= MOST_SHOWN
    ? { text, rest: 0 }
    : { text: text.slice(0, MOST_SHOWN), rest: text.length - MOST_SHOWN };
}

/** Nested too deeply to be written, it is told so: what comes from a file may be anything. */
export function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2) ?? 'null';
  } catch {
    return JSON.stringify(say.tooDeep);
  }
}
