// Figures of turns as a person would have them after some weeks: made up, the same each time.

import type { Figures } from '$lib/generated/Figures';
import type { FiguresOf } from '$lib/generated/FiguresOf';
import type { StatsRow } from '$lib/generated/StatsRow';
import type { TurnFigures } from '$lib/generated/TurnFigures';

/** No turn has ended. */
export const NO_FIGURES: Figures = { turns: [], totals: [], slowest: [], unfinished: 0, unreadable: 0 };

const MESSAGES = [
  'How does the config loader work?',
  'Write a guide to the settings',
  'Which tests are slow, and why?',
  'What changed in the parser?',
  'Add the licence to each file',
];
const HOUR_MS = 3_600_000;

/** Numbers between 0 and 1 that look random. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

function turn(
  index: number,
  startedAtMs: number,
  sessionId: string,
  projectId: string,
  next: () => number,
): TurnFigures {
  const local = next() < 0.3;
  const kind = next();
  const stopReason = kind < 0.8 ? 'answered' : kind < 0.9 ? 'budget_exhausted' : kind < 0.95 ? 'stopped' : 'error';
  const promptTokens = Math.round(2_000 + next() * 18_000);
  const cycles = Math.floor(next() * 4);
  const waitedMs = next() < 0.2 ? Math.round(next() * 240_000) : 0;
  return {
    requestId: `figure-${index}`,
    sessionId,
    projectId,
    startedAtMs,
    text: MESSAGES[index % MESSAGES.length] ?? '',
    route: next() < 0.75 ? 'two_stage' : 'unified',
    mode: 'act',
    model: local ? 'qwen3:8b' : 'deepseek-chat',
    status: stopReason === 'stopped' ? 'stopped' : stopReason === 'error' ? 'failed' : 'completed',
    stopReason,
    cycles,
    toolRuns: cycles,
    duplicatesRefused: next() < 0.1 ? 1 + Math.floor(next() * 3) : 0,
    modelCalls: cycles + 1,
    retries: next() < 0.05 ? 1 : 0,
    promptTokens,
    cachedTokens: local ? null : Math.round(promptTokens * next()),
    completionTokens: Math.round(100 + next() * 1_400),
    reasoningTokens: null,
    costUsd: local ? null : Math.round(promptTokens * 0.27 + next() * 400) / 1_000_000,
    durationMs: Math.round(900 + next() * 24_000) + waitedMs,
    waitedMs,
  };
}

function totalOf(turns: readonly TurnFigures[], route: TurnFigures['route'], model: string): StatsRow {
  const of = turns.filter((other) => other.route === route && other.model === model);
  const sum = (value: (turn: TurnFigures) => number | null) => of.reduce((all, other) => all + (value(other) ?? 0), 0);
  const ended = (reason: string) => of.filter(({ stopReason }) => stopReason === reason).length;
  const priced = of.filter(({ costUsd }) => costUsd !== null);
  return {
    route,
    model,
    mode: null,
    projectId: null,
    project: null,
    turns: of.length,
    answered: ended('answered'),
    budgetExhausted: ended('budget_exhausted'),
    failed: ended('error'),
    stopped: ended('stopped'),
    duplicatesRefused: sum((other) => other.duplicatesRefused),
    modelCalls: sum((other) => other.modelCalls),
    toolRuns: sum((other) => other.toolRuns),
    promptTokens: sum((other) => other.promptTokens),
    cachedTokens: sum((other) => other.cachedTokens),
    completionTokens: sum((other) => other.completionTokens),
    unmeasuredTurns: 0,
    costUsd: priced.length === 0 ? null : sum((other) => other.costUsd),
    pricedTurns: priced.length,
    durationMs: sum((other) => other.durationMs),
  };
}

/** `many` turns until `endMs`. A session has the last of them; the window knows the turns with these ids, the newest first. */
export function figuresOf(
  of: FiguresOf,
  many: number,
  endMs: number,
  known: { sessionId: string; projectId: string; requestIds: readonly string[] },
): Figures {
  const next = dice(7);
  let atMs = endMs - many * HOUR_MS;
  const all = Array.from({ length: many }, (_, index) => {
    atMs += next() * HOUR_MS * 1.8;
    const inSession = index >= many - 12;
    return turn(
      index,
      Math.min(Math.round(atMs), endMs),
      inSession ? known.sessionId : `older-${Math.floor(index / 9)}`,
      known.projectId,
      next,
    );
  });
  for (const [index, requestId] of known.requestIds.entries()) {
    const told = all.at(-1 - index);
    if (told) told.requestId = requestId;
  }
  const turns = of.type === 'session' ? all.slice(-12) : all;
  const groups = [...new Set(turns.map(({ route, model }) => `${route} ${model}`))]
    .toSorted()
    .map((group) => group.split(' ') as [TurnFigures['route'], string]);
  const slowest = turns
    .toSorted((a, b) => b.durationMs - b.waitedMs - (a.durationMs - a.waitedMs))
    .slice(0, 20)
    .map(({ requestId, model, durationMs, waitedMs }, index) =>
      index % 4 === 3
        ? {
            requestId,
            name: 'search_files',
            call: null,
            toolCallId: 'call-1',
            durationMs: Math.round((durationMs - waitedMs) / 3),
          }
        : {
            requestId,
            name: model,
            call: 1 + (index % 3),
            toolCallId: null,
            durationMs: Math.round((durationMs - waitedMs) / 2),
          },
    )
    .toSorted((a, b) => b.durationMs - a.durationMs);
  return {
    turns,
    totals: groups.map(([route, model]) => totalOf(turns, route, model)),
    slowest,
    unfinished: 1,
    unreadable: 0,
  };
}
