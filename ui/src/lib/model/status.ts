// One line that says where a turn is, in words, and which budget is left: the phase bar's text (UI.md). Pure.

import type { StopReason } from '$lib/generated/StopReason';
import type { ItemOf } from './item';
import { pausedWords } from './pause';
import { missingAfter, type Turn } from './turn';
import { count, dollars, duration } from './words';
import { openWrite, type WriteItem } from './write';

/** The one meaning of colour: action, tool, write, waiting for a person, problem; `calm` has none. */
export type Tone = 'action' | 'tool' | 'write' | 'waiting' | 'problem' | 'calm';

export interface Status {
  tone: Tone;
  words: string;
  /** What grows meanwhile; it is not announced each time. */
  figure: string;
  /** A clock runs from here while the state lasts; null when time does not matter. */
  sinceMs: number | null;
  /** A clock counts down to here: the next try of a model call. */
  untilMs: number | null;
  /** While it runs: what is used of its budget. */
  facts: string[];
  running: boolean;
}

/** A chat without turns. */
export const IDLE: Status = { tone: 'calm', words: 'Ready', figure: '', sinceMs: null, untilMs: null, facts: [], running: false };

const OTHER_VERSION = 'Written by another version of Orion';

export function isRunning(turn: Turn): boolean {
  return turn.end === null && !turn.interrupted;
}

/** Nothing of it is left to say or to do: it came to its end, and the page has it. */
export function isSettled(turn: Turn): boolean {
  return turn.end?.kind === 'completed' && statusOf(turn).tone === 'calm';
}

/** Nothing happens until a person answers (A7). */
export function waitsForPerson(turn: Turn): boolean {
  const stage = isRunning(turn) ? openWrite(turn)?.stage.kind : undefined;
  return isRunning(turn) && (turn.asking !== null || turn.questioning !== null || turn.pause !== null || stage === 'repeats');
}

export function statusOf(turn: Turn): Status {
  if (turn.end) return ended(turn, turn.end.kind, turn.end.report.stopReason);
  if (turn.interrupted) {
    return { tone: 'problem', words: turn.otherVersion ? OTHER_VERSION : 'Interrupted', figure: '', sinceMs: null, untilMs: null, facts: [], running: false };
  }
  return { figure: '', untilMs: null, ...live(turn), facts: budgetFacts(turn), running: true };
}

function live(turn: Turn): Pick<Status, 'tone' | 'words' | 'sinceMs'> & Partial<Pick<Status, 'figure' | 'untilMs'>> {
  if (missingAfter(turn) !== null) return { tone: 'waiting', words: 'Catching up', sinceMs: turn.atMs };
  if (turn.otherVersion) return { tone: 'problem', words: OTHER_VERSION, sinceMs: null };
  if (turn.asking) return { tone: 'waiting', words: 'Waiting for your approval', sinceMs: turn.atMs };
  if (turn.questioning) return { tone: 'waiting', words: 'Waiting for your answer', sinceMs: turn.atMs };
  if (turn.pause) return { tone: 'waiting', words: pausedWords(turn.pause), sinceMs: null };
  const seq = seqBeforeSteered(turn);
  const retry = turn.items.findLast((item) => item.seq === seq && item.kind === 'retry');
  const write = openWrite(turn);
  if (write && !retry) return writing(turn, write);
  if (turn.phase.phase === 'tool_phase') {
    const running = turn.items.filter((item): item is ItemOf<'tool'> => item.kind === 'tool' && item.outcome === null);
    const words = running.length === 1 ? `Running ${running[0]?.name}` : `Running ${count(running.length, 'tool')}`;
    return { tone: 'tool', words: running.length === 0 ? 'Handing the result to the model' : words, sinceMs: turn.atMs };
  }
  const latest = turn.items.findLast((item) => item.kind !== 'steered');
  const streams = latest !== undefined && turn.phase.open && latest.seq >= (turn.phaseSeqs.at(-1) ?? 0);
  if (streams && latest.kind === 'text') {
    if (compacts(turn)) return { tone: 'action', words: 'Summing up the conversation', sinceMs: null };
    return { tone: 'action', words: turn.phase.isFinal ? 'Writing the final answer' : 'Answering', sinceMs: null };
  }
  // What sums up says nothing that is shown.
  const told = turn.items.findLast((item) => item.kind === 'notice');
  if (told?.kind === 'notice' && told.code === 'summing_up' && turn.phase.open && told.seq === turn.seq - 1) return { tone: 'action', words: 'Summing up the conversation', sinceMs: turn.atMs };
  if (streams && latest.kind === 'reasoning') return { tone: 'action', words: 'Thinking', sinceMs: latest.atMs };
  if (retry?.kind === 'retry') {
    return { tone: 'waiting', words: `Waiting to try again, attempt ${retry.attempt}`, sinceMs: null, untilMs: turn.atMs + retry.delayMs };
  }
  const unrun = turn.items.some((item) => item.kind === 'tool' && item.outcome === null);
  if (unrun) return { tone: 'tool', words: 'Starting the tool', sinceMs: null };
  return { tone: 'action', words: 'Waiting for the model', sinceMs: turn.atMs };
}

/** The last event before those that a person caused by writing to the turn (A9): they change nothing of what it does. */
function seqBeforeSteered({ seq, items }: Turn): number {
  const steered = new Set(items.flatMap((item) => (item.kind === 'steered' ? [item.seq] : [])));
  let last = seq;
  while (steered.has(last)) last -= 1;
  return last;
}

function writing(turn: Turn, { path, stage }: WriteItem): Pick<Status, 'tone' | 'words' | 'figure' | 'sinceMs'> {
  const say = (words: string, figure = '', sinceMs: number | null = null) => ({ tone: 'write' as Tone, words, figure, sinceMs });
  switch (stage.kind) {
    case 'content': {
      const { lines, bytes: size } = stage.content;
      if (!turn.phase.open && size > 0) return say(`Checking ${path}`, '', turn.atMs);
      const figure = lines === null || size === 0 ? '' : count(lines, 'line');
      return say(`Writing ${path}`, figure, size === 0 ? turn.atMs : null);
    }
    case 'correcting':
      return turn.phase.open ? say(`Asking the model to correct ${count(stage.places, 'place')}`, '', turn.atMs) : say(`Checking ${path}`, '', turn.atMs);
    case 'repeats':
      return { ...say('Waiting for your choice', '', turn.atMs), tone: 'waiting' };
    case 'proposed':
    case 'saving':
    case 'done':
      return say(`Saving ${path}`, '', turn.atMs);
  }
}

function ended(turn: Turn, kind: 'completed' | 'stopped' | 'failed', reason: StopReason): Status {
  const [tone, words] = ending(turn, kind, reason);
  return { tone, words, figure: spent(turn) ?? '', sinceMs: null, untilMs: null, facts: [], running: false };
}

function ending(turn: Turn, kind: 'completed' | 'stopped' | 'failed', reason: StopReason): [Tone, string] {
  if (kind === 'stopped') return ['calm', 'Stopped'];
  if (kind === 'failed') return ['problem', 'Failed'];
  switch (reason) {
    case 'budget_exhausted':
    case 'duplicates_exhausted': {
      const limit = atLimit(turn);
      if (limit) return ['waiting', limit];
      return wantsMore(turn) ? ['waiting', 'Not finished'] : ['calm', 'Answered'];
    }
    case 'length':
      return ['problem', repeatedItself(turn) ? 'Cut off: the model kept repeating itself' : 'Cut off at the output limit of the model'];
    case 'unknown':
      return ['problem', 'The answer may not be complete'];
    case 'content_filter':
      return ['problem', 'Cut off by the content filter of the provider'];
    case 'approval':
      return ['waiting', 'Waiting for your approval'];
    case 'clarification':
      return ['waiting', 'Waiting for your answer'];
    case 'paused':
      return ['waiting', 'Paused'];
    case 'answered':
      return ['calm', compacts(turn) ? 'Compacted' : 'Answered'];
    case 'stopped':
    case 'error':
      return ['calm', 'Answered'];
  }
}

/** T7: the turn ended at its limit in time or money. */
function atLimit(turn: Turn): string | null {
  const { maxSeconds, maxCostUsd } = turn.start?.policy ?? {};
  const exhausted = turn.end?.report.exhausted;
  if (exhausted === 'seconds') return `Ended after ${duration((maxSeconds ?? 0) * 1_000)}, its time limit`;
  if (exhausted === 'cost') return `Ended at its cost limit of ${dollars(maxCostUsd ?? 0)}`;
  return null;
}

/** The turn is to put a summary in the place of the conversation (X4). */
export function compacts(turn: Turn): boolean {
  return turn.start?.purpose === 'compact';
}

/** P11: the answer was cut off because it only repeated itself. The notice that says so is the last thing before the end. */
export function repeatedItself(turn: Turn): boolean {
  const last = turn.items.at(-1);
  return last?.kind === 'notice' && last.code === 'repeated_itself';
}

function budgetFacts(turn: Turn): string[] {
  if (!turn.start) return [];
  const { policy, bounds } = turn.start;
  const pauses = turn.pausing.next && !turn.pause ? ['pauses after this step'] : [];
  const facts = [...pauses, `step ${Math.min(turn.phase.cycle, policy.maxCycles)} of ${policy.maxCycles}`, `${turn.modelCalls} of ${count(bounds.modelCalls, 'call')}`];
  return openWrite(turn) ? [...facts, `${turn.writePrompts} of ${count(bounds.writePrompts, 'write prompt')}`] : facts;
}

/** True when the person can go on from here with a fresh budget (P3). */
export function canContinue(turn: Turn): boolean {
  const reason = turn.end?.report.stopReason;
  return turn.end?.kind === 'completed' && !compacts(turn) && (reason === 'budget_exhausted' || reason === 'duplicates_exhausted' || reason === 'length');
}

/** Which budget ended the turn, in words: the detail of its headline. */
export function spent(turn: Turn): string | null {
  switch (turn.end?.kind === 'completed' ? turn.end.report.stopReason : null) {
    case 'budget_exhausted':
      return atLimit(turn) ? null : `all ${count(turn.phase.cycle, 'step')} used`;
    case 'duplicates_exhausted':
      return 'the model kept repeating a call';
    default:
      return null;
  }
}

/** A budget ended the turn before the model had its last word: it asked for a tool in its final answer, had none, or was cut off (X7). */
export function wantsMore(turn: Turn): boolean {
  const blocked = turn.items.some((item) => (item.kind === 'blocked' && item.reason === 'final_answer') || (item.kind === 'notice' && item.code === 'empty_answer'));
  return canContinue(turn) && (turn.end?.report.stopReason === 'length' || blocked || atLimit(turn) !== null);
}

/** The finish reason that ended the answer and that Orion does not know (P10), for the person to judge. */
export function unknownFinish(turn: Turn): string | null {
  return turn.end?.report.stopReason === 'unknown' ? turn.finishReason : null;
}
