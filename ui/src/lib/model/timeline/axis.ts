// Where a moment is on an axis, and which moment is at a place. Two scales: by step, each column as wide as the others; and by time,
// where waiting for a person takes little room however long it was. An axis is made for a timeline as it is at one moment.

import { endOf, type Entry } from './entry';
import { after } from './search';
import type { Step, Timeline } from './timeline';

export type Scale = 'step' | 'time';

export interface Axis {
  scale: Scale;
  /** Its length, in steps or in milliseconds. */
  total: number;
  at(ms: number): number;
  momentAt(place: number): number;
  /** Milliseconds of work before a place: waiting for a person is none. */
  workAt(place: number): number;
  placeOfWork(ms: number): number;
}

/** The room of a wait in pixels when the whole turn is in view: enough for the time that is written on it. */
const WAIT_PX = 56;
/** The most that all waits may take of that room. */
const WAITS_SHARE = 0.4;
/** The part of a column that is shared out evenly among what happened in it, so that a short call can be seen beside a long one. */
const EVEN = 0.4;
/** What a wait takes of a column, in shares of the others. */
const WAIT_WEIGHT = 1;

export function axisOf(timeline: Timeline, scale: Scale, nowMs: number, widthPx: number): Axis {
  const endMs = Math.max(timeline.turn?.endMs ?? nowMs, timeline.lastMs, timeline.startMs + 1);
  return scale === 'step' ? new ByStep(timeline, endMs) : new ByTime(timeline, endMs, nowMs, widthPx);
}

/** Known points of a line that never falls, and the straight stretches between them. */
class Line {
  readonly ms: number[] = [];
  readonly place: number[] = [];

  add(ms: number, place: number): void {
    this.ms.push(ms);
    this.place.push(place);
  }

  at(ms: number): number {
    return between(this.ms, this.place, ms);
  }

  momentAt(place: number): number {
    return between(this.place, this.ms, place);
  }

  get end(): number {
    return this.place.at(-1) ?? 0;
  }
}

function between(from: readonly number[], to: readonly number[], value: number): number {
  const next = Math.min(
    Math.max(
      after(from, value, (it) => it),
      1,
    ),
    from.length - 1,
  );
  const [a, b] = [from[next - 1] ?? 0, from[next] ?? 0];
  const [x, y] = [to[next - 1] ?? 0, to[next] ?? 0];
  if (b <= a) return value < a ? x : y;
  // What is left of rounding must not lead beyond the end of the stretch.
  return Math.min(x + ((y - x) * (Math.min(Math.max(value, a), b) - a)) / (b - a), y);
}

class ByTime implements Axis {
  readonly scale = 'time';
  readonly total: number;
  readonly #line = new Line();
  /** Work and places. */
  readonly #work = new Line();

  constructor(timeline: Timeline, endMs: number, nowMs: number, widthPx: number) {
    const waits = stretches(timeline.waits, timeline.startMs, endMs, nowMs);
    const waited = waits.reduce((sum, [from, to]) => sum + to - from, 0);
    const worked = Math.max(endMs - timeline.startMs - waited, 1);
    const share = waits.length === 0 ? 0 : Math.min(WAIT_PX / Math.max(widthPx, WAIT_PX), WAITS_SHARE / waits.length);
    const most = (share * worked) / Math.max(1 - share * waits.length, 1 - WAITS_SHARE);
    let [atMs, place, work] = [timeline.startMs, 0, 0];
    const add = (ms: number) => {
      this.#line.add(ms, place);
      this.#work.add(work, place);
    };
    add(atMs);
    for (const [from, to] of waits) {
      place += from - atMs;
      work += from - atMs;
      add(from);
      place += Math.min(most, to - from);
      add(to);
      atMs = to;
    }
    place += endMs - atMs;
    work += endMs - atMs;
    add(endMs);
    this.total = Math.max(this.#line.end, 1);
  }

  at(ms: number): number {
    return this.#line.at(ms);
  }

  momentAt(place: number): number {
    return this.#line.momentAt(place);
  }

  workAt(place: number): number {
    return this.#work.momentAt(place);
  }

  placeOfWork(ms: number): number {
    return this.#work.at(ms);
  }
}

/** Waits without what overlaps. */
function stretches(
  waits: readonly Entry[],
  startMs: number,
  endMs: number,
  nowMs: number,
): [from: number, to: number][] {
  const out: [number, number][] = [];
  let free = startMs;
  for (const { span } of waits) {
    const [from, to] = [Math.max(span.startMs, free), Math.min(endOf(span, nowMs), endMs)];
    if (to <= from) continue;
    out.push([from, to]);
    free = to;
  }
  return out;
}

/** The points of a column, kept while it does not change: only the last column of a running turn does. */
const LINES = new WeakMap<Step, { entries: number; endMs: number; line: Line }>();

class ByStep implements Axis {
  readonly scale = 'step';
  readonly total: number;

  constructor(
    private readonly timeline: Timeline,
    private readonly endMs: number,
  ) {
    this.total = Math.max(timeline.steps.length, 1);
  }

  at(ms: number): number {
    const { steps } = this.timeline;
    const index = Math.max(after(steps, ms, ({ startMs }) => startMs) - 1, 0);
    const step = steps[index];
    return step ? index + this.#lineOf(step).at(ms) : 0;
  }

  momentAt(place: number): number {
    const { steps, startMs } = this.timeline;
    const index = Math.min(Math.max(Math.floor(place), 0), steps.length - 1);
    const step = steps[index];
    return step ? this.#lineOf(step).momentAt(place - index) : startMs;
  }

  workAt(place: number): number {
    return this.momentAt(place) - this.timeline.startMs;
  }

  placeOfWork(ms: number): number {
    return this.at(this.timeline.startMs + ms);
  }

  #lineOf(step: Step): Line {
    const { steps, startMs: turnMs } = this.timeline;
    const startMs = step.index === 0 ? turnMs : step.startMs;
    const endMs = Math.max(steps[step.index + 1]?.startMs ?? this.endMs, startMs + 1);
    const known = LINES.get(step);
    // What still ran when the line was made has ended since, if the step has.
    if (known && known.entries === step.entries.length && known.endMs === endMs) return known.line;
    const line = columnOf(step, startMs, endMs);
    LINES.set(step, { entries: step.entries.length, endMs, line });
    return line;
  }
}

/** Each stretch between two moments has a share of the column by its time, and those in which something happened an even share more. */
function columnOf(step: Step, startMs: number, endMs: number): Line {
  const inside = (ms: number) => Math.min(Math.max(ms, startMs), endMs);
  const bars = step.entries.map((entry) => ({
    wait: entry.sort === 'wait',
    from: inside(entry.span.startMs),
    to: inside(endOf(entry.span, endMs)),
    long: entry.sort === 'write',
  }));
  const moments = [...new Set([startMs, endMs, ...bars.flatMap(({ from, to }) => [from, to])])].sort((a, b) => a - b);
  const stretch = moments.slice(1).map((to, at) => {
    const from = moments[at] ?? startMs;
    const over = bars.filter((bar) => bar.from <= from && bar.to >= to && bar.to > bar.from && !bar.long);
    return { to, ms: to - from, wait: over.some(({ wait }) => wait), busy: over.length > 0 };
  });
  const busy = stretch.filter((it) => it.busy).length;
  const waits = stretch.filter((it) => it.wait).length;
  const worked = stretch.reduce((sum, it) => sum + (it.wait ? 0 : it.ms), 0);
  const even = busy === waits ? 0 : EVEN / (busy - waits);
  const weights = stretch.map((it) => {
    if (it.wait) return WAIT_WEIGHT / Math.max(busy, 1);
    return (worked === 0 ? 0 : ((1 - EVEN) * it.ms) / worked) + (it.busy ? even : 0);
  });
  const sum = weights.reduce((all, weight) => all + weight, 0) || 1;
  const line = new Line();
  let place = 0;
  line.add(startMs, place);
  stretch.forEach(({ to }, at) =>
    line.add(to, at === stretch.length - 1 ? 1 : (place = Math.min(place + (weights[at] ?? 0) / sum, 1))),
  );
  return line;
}
