// How a bar is split: a model call into its tries, the time to its first word, and what came then; a tool call into asking and running.

import { endOf, type Entry, isRetry, numberAttribute, type Part, type PartSort } from './entry';

export function partsOf(entry: Entry, nowMs: number): Part[] {
  const end = endOf(entry.span, nowMs);
  switch (entry.sort) {
    case 'call':
      return ofCall(entry, end);
    case 'tool':
      return ofTool(entry, end);
    case 'write':
      return ofWrite(entry, end);
    case 'wait':
      return [{ sort: 'asking', fromMs: entry.span.startMs, toMs: end }];
    case 'refused':
    case 'reused':
      return [];
  }
}

/** Puts one part after the other, none of them beyond the end. */
class Course {
  readonly parts: Part[] = [];
  constructor(
    private atMs: number,
    private readonly endMs: number,
  ) {}

  to(sort: PartSort, untilMs: number): void {
    const toMs = Math.min(Math.max(untilMs, this.atMs), this.endMs);
    if (toMs > this.atMs) this.parts.push({ sort, fromMs: this.atMs, toMs });
    this.atMs = toMs;
  }

  get at(): number {
    return this.atMs;
  }
}

function ofCall({ span, inside, lane }: Entry, end: number): Part[] {
  const parts = toldParts(span, lane, end);
  if (parts) return parts;
  const course = new Course(span.startMs, end);
  for (const retry of inside.filter(isRetry)) {
    course.to('failed', retry.startMs);
    course.to('retry', retry.startMs + (numberAttribute(retry, 'delayMs') ?? 0));
  }
  const first = numberAttribute(span, 'firstChunkMs');
  // While it runs the first word may be there, and its time is not told yet.
  if (first === null) {
    course.to('first', end);
    return course.parts;
  }
  course.to('first', course.at + first);
  course.to(lane === 'write' ? 'content' : 'text', end);
  return course.parts;
}

const SORTS: Record<string, PartSort> = {
  connecting: 'connecting',
  first_token: 'first',
  reasoning: 'thinking',
  text: 'text',
  arguments: 'asks',
  backoff: 'retry',
};

/** What the span itself says of its parts. Those of a try that another one followed have failed. */
function toldParts(span: Entry['span'], lane: Entry['lane'], end: number): Part[] | null {
  const { parts } = span;
  if (!Array.isArray(parts) || parts.length === 0) return null;
  const last = parts.at(-1)?.attempt ?? 1;
  const course = new Course(span.startMs, end);
  for (const { kind, endMs, attempt } of parts) {
    const sort = SORTS[kind] ?? 'text';
    const as = sort !== 'retry' && attempt < last ? 'failed' : sort === 'text' && lane === 'write' ? 'content' : sort;
    course.to(as, typeof endMs === 'number' && Number.isFinite(endMs) ? endMs : end);
  }
  return course.parts;
}

function ofTool(entry: Entry, end: number): Part[] {
  const course = new Course(entry.span.startMs, end);
  for (const asked of entry.inside) {
    course.to('run', asked.startMs);
    course.to('asking', endOf(asked, end));
  }
  course.to('run', end);
  return course.parts;
}

function ofWrite(entry: Entry, end: number): Part[] {
  const course = new Course(entry.span.startMs, end);
  for (const asked of entry.inside) {
    course.to('content', asked.startMs);
    course.to('asking', endOf(asked, end));
  }
  course.to('content', end);
  return course.parts;
}
