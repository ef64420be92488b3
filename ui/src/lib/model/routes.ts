// What the turns of a comparison have come to so far, in rows. Pure.

import type { TurnReport } from '$lib/generated/TurnReport';
import { words } from '$lib/words';
import { statusOf } from './status';
import type { Turn } from './turn';
import { dollars, duration, number } from './words';

export interface RouteRow {
  label: string;
  /** One for each route. */
  cells: readonly string[];
}

const NOT_YET = '–';

const refusedIn = (turn: Turn): number => turn.items.filter((item) => item.kind === 'refused').length;
const about = (report: TurnReport, told: string | null): string =>
  told === null ? words.comparedRoutes.unknown : report.usage.estimated ? words.comparedRoutes.about(told) : told;
const counted = (report: TurnReport, tokens: number | null): string =>
  about(report, tokens === null ? null : number(tokens));

/** A figure that only a turn's end tells (T7: what is not known is never 0). */
const atEnd =
  (told: (report: TurnReport) => string) =>
  (turn: Turn | null): string =>
    turn?.end ? told(turn.end.report) : NOT_YET;
const asItGoes =
  (figure: (turn: Turn) => number) =>
  (turn: Turn | null): string =>
    turn ? number(figure(turn)) : NOT_YET;

const FIGURES: readonly (readonly [string, (turn: Turn | null) => string])[] = [
  [words.comparedRoutes.modelCalls, asItGoes((turn) => turn.end?.report.modelCalls ?? turn.modelCalls)],
  [words.comparedRoutes.toolRuns, asItGoes((turn) => turn.end?.report.toolRuns ?? turn.toolRuns)],
  [words.comparedRoutes.refused, asItGoes((turn) => turn.end?.report.duplicatesRefused ?? refusedIn(turn))],
  [words.comparedRoutes.tokensIn, atEnd((report) => counted(report, report.usage.promptTokens))],
  [words.comparedRoutes.tokensOut, atEnd((report) => counted(report, report.usage.completionTokens))],
  [
    words.comparedRoutes.cost,
    atEnd((report) => about(report, report.costUsd === null ? null : dollars(report.costUsd))),
  ],
  [words.comparedRoutes.time, atEnd((report) => duration(report.durationMs))],
];

export function routeRows(turns: readonly (Turn | null)[]): RouteRow[] {
  return FIGURES.map(([label, figure]) => ({ label, cells: turns.map(figure) }));
}

/** Where a turn is, in words. `begun`: its message was sent. */
export function stateWords(turn: Turn | null, begun: boolean): string {
  return turn ? statusOf(turn).words : begun ? words.comparedRoutes.beginning : words.comparedRoutes.notBegun;
}

/** What it has answered so far: the last text of the model, with the number of its item. Null before it said something. */
export function answerOf(turn: Turn | null): { seq: number; text: string } | null {
  const last = turn?.items.findLast((item) => item.kind === 'text' && item.text !== '');
  return last?.kind === 'text' ? { seq: last.seq, text: last.text } : null;
}
