// What a span is to a reader of the timeline: the lane it is drawn in, the parts of a model call, its name, its place in the chat.
// Spans come from a file as well, so nothing in them is taken to be in order.

import type { TraceSpan } from '$lib/generated/TraceSpan';
import { words } from '$lib/words';
import { mainArgument } from '../words';

export type Lane = 'answering' | 'tool' | 'write' | 'waiting';

/** `refused`: a repeat that was not run (D2). `reused`: an earlier result answered (X6). */
export type Sort = 'call' | 'tool' | 'refused' | 'reused' | 'write' | 'wait';

export type MarkSort = 'refused' | 'error' | 'retry' | 'cut' | 'steer' | 'stop';

/** A bar of the timeline. */
export interface Entry {
  sort: Sort;
  lane: Lane;
  span: TraceSpan;
  /** The column that it began in, from 0. */
  step: number;
  /** The phase that it began in, from 0. */
  phase: number;
  /** Of a tool call or a write session: its row, from 0. */
  row: number | null;
  /** Of a model call: its number in the turn, from 1. */
  call: number | null;
  /** What happened inside of it, in the order of its starts. */
  inside: TraceSpan[];
}

/** A moment. */
export interface MarkAt {
  sort: MarkSort;
  span: TraceSpan;
  atMs: number;
}

export type PartSort =
  'failed' | 'retry' | 'connecting' | 'first' | 'thinking' | 'text' | 'asks' | 'content' | 'run' | 'asking';

export interface Part {
  sort: PartSort;
  fromMs: number;
  toMs: number;
}

export const PART_WORDS: Record<PartSort, string> = words.spans.parts;

export function attribute(span: TraceSpan, name: string): unknown {
  const { attributes } = span as { attributes: unknown };
  return typeof attributes === 'object' && attributes !== null
    ? (attributes as Record<string, unknown>)[name]
    : undefined;
}

export function textAttribute(span: TraceSpan, name: string): string | null {
  const value = attribute(span, name);
  return typeof value === 'string' ? value : null;
}

export function numberAttribute(span: TraceSpan, name: string): number | null {
  const value = attribute(span, name);
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** The end of a span, or `nowMs` while it runs; never before its start. */
export function endOf(span: TraceSpan, nowMs: number): number {
  return Math.max(span.endMs ?? nowMs, span.startMs);
}

export function sortOf(span: TraceSpan): Sort | null {
  switch (span.kind) {
    case 'model_call':
      return 'call';
    case 'tool_call':
      return attribute(span, 'status') === 'reused' && span.startMs === span.endMs ? 'reused' : 'tool';
    case 'check':
      // One that did not run is no bar.
      return span.startMs === span.endMs ? null : 'tool';
    case 'duplicate_tool_call':
      return 'refused';
    case 'write_session':
      return textAttribute(span, 'path') === null ? null : 'write';
    case 'approval':
    case 'pause':
    case 'question':
      // A kept approval answers by itself: nobody waits.
      return textAttribute(span, 'approvalId') === null ? 'wait' : null;
    default:
      return null;
  }
}

export const LANE_OF: Record<Sort, Lane> = {
  call: 'answering',
  tool: 'tool',
  refused: 'tool',
  reused: 'tool',
  write: 'write',
  wait: 'waiting',
};

export function markOf(span: TraceSpan): MarkSort | null {
  switch (span.kind as string) {
    case 'duplicate_tool_call':
    case 'calls_blocked':
      return 'refused';
    case 'retry':
      return 'retry';
    case 'stop':
      return 'stop';
    case 'context_cut':
      return 'cut';
    case 'error':
      return isRetry(span) ? 'retry' : 'error';
    case 'compaction':
      return 'cut';
    case 'steer':
      return 'steer';
    case 'write_session':
      return span.name === 'corrections' ? 'error' : null;
    default:
      return null;
  }
}

export const MARK_WORDS: Record<MarkSort, string> = words.spans.marks;

/** The name of a call and the one argument that matters: its path, where it has one. */
export function titleOf(entry: Entry): { name: string; detail: string } {
  const { span } = entry;
  switch (entry.sort) {
    case 'call':
      return { name: words.spans.modelCall, detail: entry.call === null ? '' : String(entry.call) };
    case 'write':
      return { name: words.spans.write, detail: textAttribute(span, 'path') ?? span.name };
    case 'wait':
      return { name: waitWords(span), detail: span.kind === 'approval' && span.name !== 'repeats' ? span.name : '' };
    default:
      return { name: span.name, detail: argumentOf(span) };
  }
}

function waitWords(span: TraceSpan): string {
  if (span.kind === 'pause') return words.spans.paused;
  if (span.kind === 'question') return words.spans.waitsForAnswer;
  return span.name === 'repeats' ? words.spans.waitsForChoice : words.spans.waitsForApproval;
}

/** Arguments are cut to a byte limit (J3), so what is left may be no JSON. */
function argumentOf(span: TraceSpan): string {
  const { path } = span;
  if (typeof path === 'string' && path !== '' && path !== '.') return path;
  if (span.kind === 'check') return textAttribute(span, 'line') ?? '';
  const text = textAttribute(span, 'arguments');
  if (text === null) return path ?? '';
  try {
    return mainArgument(JSON.parse(text));
  } catch {
    return /"(?:path|file|target_file|pattern|query|glob|command)":"((?:[^"\\]|\\.)*)/.exec(text)?.[1] ?? '';
  }
}

/** Where it is shown in the chat: the text of a phase, a tool box, the box of a write. */
export function placeOf(entry: Entry): string | null {
  if (entry.sort === 'call' && entry.lane === 'answering') return placeOfPhase(entry.phase);
  if (entry.sort === 'tool') {
    const id = textAttribute(entry.span, 'toolCallId');
    return id === null ? null : placeOfCall(id);
  }
  if (entry.sort === 'write') {
    const write = numberAttribute(entry.span, 'write');
    return write === null ? null : placeOfWrite(write);
  }
  return null;
}

export const placeOfPhase = (phase: number): string => `phase ${phase}`;
export const placeOfCall = (callId: string): string => `call ${callId}`;
export const placeOfWrite = (write: number): string => `write ${write}`;

/** A model call failed and is tried again. */
export function isRetry({ kind, name }: TraceSpan): boolean {
  return (kind as string) === 'retry' || (kind === 'error' && name === 'retrying');
}
