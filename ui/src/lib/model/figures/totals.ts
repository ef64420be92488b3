// Figures of all turns together, in words. Pure.

import type { Figures } from '$lib/generated/Figures';
import type { StatsRow } from '$lib/generated/StatsRow';
import { count, dollars, duration, number } from '../words';

/** `24 turns, 20 of them answered`, and what else is worth a word. */
export function sumWords({ totals, unfinished, unreadable }: Figures): string[] {
  const sum = (value: (row: StatsRow) => number) => totals.reduce((all, row) => all + value(row), 0);
  const turns = sum((row) => row.turns);
  const tokens = sum((row) => row.promptTokens + row.completionTokens);
  const priced = totals.filter((row) => row.costUsd !== null);
  const cost = priced.reduce((all, row) => all + (row.costUsd ?? 0), 0);
  const partly = sum((row) => row.pricedTurns) < turns ? 'at least ' : '';
  return [
    `${count(turns, 'turn')}, ${number(sum((row) => row.answered))} answered`,
    ...(tokens > 0 ? [count(tokens, 'token')] : []),
    ...(priced.length > 0 ? [`${partly}${dollars(cost)}`] : []),
    duration(sum((row) => row.durationMs)),
    ...(unfinished > 0 ? [`${number(unfinished)} not finished, and not counted`] : []),
    ...(unreadable > 0 ? [`${count(unreadable, 'report')} cannot be read`] : []),
  ];
}
