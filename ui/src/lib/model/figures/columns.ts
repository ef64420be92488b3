// The columns of the table of turns: what each says, and how it orders. Pure.

import type { StopReason } from '$lib/generated/StopReason';
import type { TurnFigures } from '$lib/generated/TurnFigures';
import { words } from '$lib/words';
import { dollars, duration, number } from '../words';

export type ColumnKey =
  | 'started'
  | 'text'
  | 'route'
  | 'model'
  | 'steps'
  | 'tools'
  | 'refused'
  | 'tokens'
  | 'cached'
  | 'cost'
  | 'time'
  | 'waited'
  | 'ended';

export interface Column {
  key: ColumnKey;
  label: string;
  /** Figures are aligned by their last digit. */
  figure: boolean;
  /** What it orders by; null comes last in both directions. */
  value: (turn: TurnFigures) => number | string | null;
  words: (turn: TurnFigures) => string;
}

const ENDED: Record<StopReason, string> = words.turnColumns.ended;

/** No message is empty: a turn without one summed the conversation up. */
const endedWords = ({ stopReason, text }: TurnFigures): string =>
  stopReason === 'answered' && text === '' ? words.turnColumns.ended.summarized : ENDED[stopReason];

export const ROUTE_WORDS = words.turnColumns.routes;

/** What is not known is told as a dash, never as 0. */
const UNKNOWN = '–';

export const tokensOf = ({ promptTokens, completionTokens }: TurnFigures): number | null =>
  promptTokens === null && completionTokens === null ? null : (promptTokens ?? 0) + (completionTokens ?? 0);

/** The part of the prompt that came from a cache, from 0 to 1. */
const cachedOf = ({ promptTokens, cachedTokens }: TurnFigures): number | null =>
  promptTokens === null || promptTokens === 0 || cachedTokens === null ? null : cachedTokens / promptTokens;

const STARTED = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});

export const startedWords = (atMs: number): string => STARTED.format(atMs);

const told = (value: number | null, inWords: (value: number) => string): string =>
  value === null ? UNKNOWN : inWords(value);

const figure = (
  key: ColumnKey,
  label: string,
  value: (turn: TurnFigures) => number | null,
  inWords: (value: number) => string,
): Column => ({ key, label, figure: true, value, words: (turn) => told(value(turn), inWords) });

const text = (key: ColumnKey, label: string, inWords: (turn: TurnFigures) => string): Column => ({
  key,
  label,
  figure: false,
  value: inWords,
  words: inWords,
});

const label = words.turnColumns.labels;

export const COLUMNS: readonly Column[] = [
  {
    key: 'started',
    label: label.started,
    figure: false,
    value: (turn) => turn.startedAtMs,
    words: (turn) => startedWords(turn.startedAtMs),
  },
  text('text', label.text, (turn) => turn.text),
  text('route', label.route, (turn) => ROUTE_WORDS[turn.route]),
  text('model', label.model, (turn) => turn.model),
  text('ended', label.ended, endedWords),
  figure('steps', label.steps, (turn) => turn.cycles, number),
  figure('tools', label.tools, (turn) => turn.toolRuns, number),
  figure('refused', label.refused, (turn) => turn.duplicatesRefused, number),
  figure('tokens', label.tokens, tokensOf, number),
  figure('cached', label.cached, cachedOf, (part) => `${Math.round(part * 100)} %`),
  figure('cost', label.cost, (turn) => turn.costUsd, dollars),
  figure('time', label.time, (turn) => turn.durationMs, duration),
  figure(
    'waited',
    label.waited,
    (turn) => turn.waitedMs,
    (ms) => (ms === 0 ? '' : duration(ms)),
  ),
];

/** A turn that a person may want to look at: it has no whole answer, or the model repeated itself. */
export const isProblem = ({ stopReason, duplicatesRefused }: TurnFigures): boolean =>
  (stopReason !== 'answered' && stopReason !== 'stopped') || duplicatesRefused > 0;
