// Where the time of a turn went, and what took longest: the answer to what a person opens a trace for.

import { words } from '$lib/words';
import { type Entry, type PartSort, titleOf } from './entry';
import { partsOf } from './parts';
import { type Step, stepKind, stepWords, type Timeline } from './timeline';

export type SpentOn = 'first' | 'answering' | 'writing' | 'retry' | 'tool' | 'waiting' | 'other';

export interface Spent {
  on: SpentOn;
  ms: number;
}

export const SPENT_WORDS: Record<SpentOn, string> = words.spentOn.on;

const OF_PART: Record<PartSort, SpentOn> = {
  failed: 'retry',
  retry: 'retry',
  connecting: 'first',
  first: 'first',
  thinking: 'answering',
  text: 'answering',
  asks: 'answering',
  content: 'writing',
  run: 'tool',
  asking: 'waiting',
};

const ORDER: readonly SpentOn[] = ['first', 'answering', 'writing', 'retry', 'tool', 'waiting', 'other'];

/** What took no time is left out. */
export function spentOf(timeline: Timeline, nowMs: number): Spent[] {
  const sums = new Map<SpentOn, number>();
  const add = (on: SpentOn, ms: number) => sums.set(on, (sums.get(on) ?? 0) + ms);
  for (const entry of timeline.entries) {
    if (entry.sort === 'write') continue;
    for (const part of partsOf(entry, nowMs)) {
      if (!(entry.sort === 'tool' && part.sort === 'asking')) add(OF_PART[part.sort], part.toMs - part.fromMs);
    }
  }
  const whole = Math.max(timeline.turn?.endMs ?? nowMs, timeline.lastMs) - timeline.startMs;
  add('other', Math.max(whole - [...sums.values()].reduce((sum, ms) => sum + ms, 0), 0));
  return ORDER.map((on) => ({ on, ms: Math.round(sums.get(on) ?? 0) })).filter(({ ms }) => ms > 0);
}

/** The least share of the work that has a place in the legend. */
const TOLD = 0.02;

/** `9.2 s of work, 4 min waiting for you`, and the parts that are worth a word. */
export function toldOf(spent: readonly Spent[]): { words: string; workMs: number; told: Spent[] } {
  const waitedMs = spent.find(({ on }) => on === 'waiting')?.ms ?? 0;
  const workMs = spent.reduce((sum, { ms }) => sum + ms, 0) - waitedMs;
  return {
    words: words.spentOn.whole(workMs, waitedMs),
    workMs,
    told: spent.filter(({ on, ms }) => on !== 'waiting' && ms >= workMs * TOLD),
  };
}

/** The bar that took longest, waits for a person aside, and where in it the time went. */
export function longestOf(timeline: Timeline, nowMs: number): { entry: Entry; words: string } | null {
  const timed = timeline.entries
    .filter(({ sort }) => sort === 'call' || sort === 'tool')
    .map((entry) => ({ entry, ms: workOf(entry, nowMs) }));
  const longest = timed.reduce<(typeof timed)[number] | null>(
    (most, it) => (most === null || it.ms > most.ms ? it : most),
    null,
  );
  if (!longest || longest.ms === 0) return null;
  const { entry, ms } = longest;
  const step = timeline.steps[entry.step];
  const { name, detail } = titleOf(entry);
  const what = entry.sort === 'call' ? callWords(timeline, step) : `${name}${detail === '' ? '' : ` ${detail}`}`;
  return { entry, words: words.spentOn.longest(what, ms, why(entry, ms, nowMs)) };
}

function callWords(timeline: Timeline, step: Step | undefined): string {
  const kind = step ? stepKind(timeline, step) : 'step';
  return kind === 'step'
    ? words.spentOn.callOfStep(step ? stepWords(timeline, step) : words.columns.step(null))
    : words.spentOn.callOf[kind];
}

function workOf(entry: Entry, nowMs: number): number {
  return partsOf(entry, nowMs).reduce(
    (sum, { sort, fromMs, toMs }) => (sort === 'asking' ? sum : sum + toMs - fromMs),
    0,
  );
}

const WHY: Partial<Record<PartSort, string>> = words.spentOn.why;

/** From this share on it is all of it. */
const ALMOST = 0.95;

/** The part that took half of it or more, where that is not what one would expect. */
function why(entry: Entry, ms: number, nowMs: number): string {
  const sums = new Map<PartSort, number>();
  for (const { sort, fromMs, toMs } of partsOf(entry, nowMs)) {
    const as = sort === 'failed' ? 'retry' : sort === 'connecting' ? 'first' : sort;
    sums.set(as, (sums.get(as) ?? 0) + toMs - fromMs);
  }
  const [sort, most] = [...sums].reduce<[PartSort, number]>((best, it) => (it[1] > best[1] ? it : best), ['run', 0]);
  const because = WHY[sort];
  if (!because || most * 2 < ms) return '';
  return most >= ms * ALMOST ? words.spentOn.whyAll(because) : words.spentOn.whyPart(most, because);
}
