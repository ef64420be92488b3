// Figures over time: bars of turns, or of hours, days and months where there are too many. Pure.

import type { TurnFigures } from '$lib/generated/TurnFigures';
import { words } from '$lib/words';
import { dollars, duration, number } from '../words';
import { startedWords, tokensOf } from './columns';

/** The most bars that can be told apart in a chart. */
const MOST = 60;

export interface Bar {
  /** What it stands for: a turn, or a span of time. */
  name: string;
  /** Null where nothing of it is known. */
  value: number | null;
  /** The turn, where it is one. */
  requestId: string | null;
}

export interface Chart {
  title: string;
  bars: Bar[];
  /** What the highest bar stands for, and the sum, in words. */
  most: string;
  sum: string;
  words: (value: number) => string;
}

type Unit = 'turn' | 'hour' | 'day' | 'month';

const NAMES: Record<Exclude<Unit, 'turn'>, Intl.DateTimeFormat> = {
  hour: new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' }),
  day: new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' }),
  month: new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric' }),
};

/** The beginning of the hour, day or month of a moment, by the person's clock. */
function begin(atMs: number, unit: Exclude<Unit, 'turn'>, plus = 0): number {
  const at = new Date(atMs);
  const [year, month, day, hour] = [at.getFullYear(), at.getMonth(), at.getDate(), at.getHours()];
  if (unit === 'month') return new Date(year, month + plus).getTime();
  return unit === 'day'
    ? new Date(year, month, day + plus).getTime()
    : new Date(year, month, day, hour + plus).getTime();
}

/** The beginnings of all hours, days or months from the first turn to the last; null where these are too many. */
function spansOf(turns: readonly TurnFigures[], unit: Exclude<Unit, 'turn'>): number[] | null {
  const [first, last] = [turns[0]?.startedAtMs, turns.at(-1)?.startedAtMs];
  if (first === undefined || last === undefined) return [];
  const spans: number[] = [];
  for (let at = begin(first, unit); at <= last; at = begin(at, unit, 1)) {
    if (spans.push(at) > MOST) return null;
  }
  return spans;
}

type Group = { name: string; turns: readonly TurnFigures[] };

/** Turns in groups over time, empty ones between them too. Of many years the last 60 months. */
function grouped(turns: readonly TurnFigures[]): Group[] {
  if (turns.length <= MOST) return turns.map((turn) => ({ name: startedWords(turn.startedAtMs), turns: [turn] }));
  for (const unit of ['hour', 'day', 'month'] as const) {
    const recent =
      unit === 'month'
        ? turns.filter(({ startedAtMs }) => startedAtMs >= begin(turns.at(-1)?.startedAtMs ?? 0, 'month', 1 - MOST))
        : turns;
    const spans = spansOf(recent, unit);
    if (!spans) continue;
    const of = new Map<number, TurnFigures[]>(spans.map((at) => [at, []]));
    for (const turn of recent) of.get(begin(turn.startedAtMs, unit))?.push(turn);
    return [...of].map(([at, members]) => ({ name: NAMES[unit].format(at), turns: members }));
  }
  return [];
}

function total(turns: readonly TurnFigures[], value: (turn: TurnFigures) => number | null): number | null {
  let sum: number | null = null;
  for (const turn of turns) {
    const of = value(turn);
    if (of !== null) sum = (sum ?? 0) + of;
  }
  return sum;
}

const KINDS: readonly {
  title: string;
  value: (turn: TurnFigures) => number | null;
  words: (value: number) => string;
}[] = [
  { title: words.turnColumns.charts.tokens, value: tokensOf, words: number },
  { title: words.turnColumns.charts.cost, value: ({ costUsd }) => costUsd, words: dollars },
  { title: words.turnColumns.charts.time, value: ({ durationMs }) => durationMs, words: duration },
  { title: words.turnColumns.charts.refused, value: ({ duplicatesRefused }) => duplicatesRefused, words: number },
];

/** One chart for each kind of figure. The turns are in the order they began. */
export function chartsOf(turns: readonly TurnFigures[]): Chart[] {
  const groups = grouped(turns);
  return KINDS.map(({ title, value, words: inWords }) => {
    const bars = groups.map(({ name, turns: members }) => ({
      name: turns.length <= MOST ? name : words.turnColumns.turnsIn(name, members.length),
      value: total(members, value),
      requestId: turns.length <= MOST ? (members[0]?.requestId ?? null) : null,
    }));
    const sum = total(turns, value);
    const most = Math.max(0, ...bars.map((bar) => bar.value ?? 0));
    return {
      title,
      bars,
      words: inWords,
      most: inWords(most),
      sum: sum === null ? words.turnColumns.notKnown : inWords(sum),
    };
  });
}
