// Figures of all turns together, in words. Pure.

import type { Figures } from '$lib/generated/Figures';
import type { StatsRow } from '$lib/generated/StatsRow';
import { words } from '$lib/words';
import { duration } from '../words';

/** `24 turns, 20 of them answered`, and what else is worth a word. */
export function sumWords({ totals, unfinished, unreadable }: Figures): string[] {
  const sum = (value: (row: StatsRow) => number) => totals.reduce((all, row) => all + value(row), 0);
  const turns = sum((row) => row.turns);
  const tokens = sum((row) => row.promptTokens + row.completionTokens);
  const priced = totals.filter((row) => row.costUsd !== null);
  const cost = priced.reduce((all, row) => all + (row.costUsd ?? 0), 0);
  const isLeast = sum((row) => row.pricedTurns) < turns;
  return [
    words.turnColumns.answered(
      turns,
      sum((row) => row.answered),
    ),
    ...(tokens > 0 ? [words.turnColumns.tokens(tokens)] : []),
    ...(priced.length > 0 ? [words.turnColumns.cost(cost, isLeast)] : []),
    duration(sum((row) => row.durationMs)),
    ...(unfinished > 0 ? [words.turnColumns.unfinished(unfinished)] : []),
    ...(unreadable > 0 ? [words.turnColumns.unreadable(unreadable)] : []),
  ];
}
