// One line that says where a turn is, in words, and which budget is left: the phase bar's text (UI.md). Pure.

import type { StopReason } from '$lib/generated/StopReason';
import { words } from '$lib/words';
import { waitWords } from './asked';
import { runningWords } from './toolNames';
import { runningCheck } from './turnChecks';
import type { ItemOf } from './item';
import { asks } from './pending';
import { missingAfter, type Turn } from './turn';
import { unwritten } from './unwritten';
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
export const IDLE: Status = {
  tone: 'calm',
  words: words.status.ready,
  figure: '',
  sinceMs: null,
  untilMs: null,
  facts: [],
  running: false,
};

export function isRunning(turn: Turn): boolean {
  return turn.end === null && !turn.interrupted;
}

/** Nothing of it is left to say or to do: it came to its end, and the page has it. */
export function isSettled(turn: Turn): boolean {
  return turn.end?.kind === 'completed' && statusOf(turn).tone === 'calm';
}

/** Nothing happens until a person answers (A7). */
export function waitsForPerson(turn: Turn): boolean {
  return isRunning(turn) && turn.pending !== null;
}

export function statusOf(turn: Turn): Status {
  if (turn.end) return ended(turn, turn.end.kind, turn.end.report.stopReason);
  if (turn.interrupted) {
    return {
      tone: 'problem',
      words: turn.otherVersion ? words.status.otherVersion : words.status.interrupted,
      figure: '',
      sinceMs: null,
      untilMs: null,
      facts: [],
      running: false,
    };
  }
  return { figure: '', untilMs: null, ...live(turn), facts: budgetFacts(turn), running: true };
}

function live(turn: Turn): Pick<Status, 'tone' | 'words' | 'sinceMs'> & Partial<Pick<Status, 'figure' | 'untilMs'>> {
  if (missingAfter(turn) !== null) return { tone: 'action', words: words.status.catchingUp, sinceMs: turn.atMs };
  if (turn.otherVersion) return { tone: 'problem', words: words.status.otherVersion, sinceMs: null };
  if (turn.pending)
    return {
      tone: 'waiting',
      words: waitWords(turn.pending.of),
      sinceMs: turn.pending.of.type === 'pause' ? null : turn.atMs,
    };
  const seq = seqBeforeSteered(turn);
  const retry = turn.items.findLast((item) => item.seq === seq && item.kind === 'retry');
  const write = openWrite(turn);
  if (write && !retry) return writing(turn, write);
  if (turn.phase.phase === 'tool_phase') {
    const running = turn.items.filter((item): item is ItemOf<'tool'> => item.kind === 'tool' && item.outcome === null);
    return {
      tone: 'tool',
      words: running.length === 0 ? words.status.handingResult : runningWords(running.map(({ name }) => name)),
      sinceMs: turn.atMs,
    };
  }
  const checks = turn.phase.phase === 'check_phase' ? turn.items.findLast((item) => item.kind === 'checks') : undefined;
  if (checks?.kind === 'checks' && checks.open) {
    const running = runningCheck(checks);
    const told = running ? words.status.checkingLine(running.command) : words.turnChecks.beginning;
    return { tone: 'tool', words: told, sinceMs: running?.sinceMs ?? turn.atMs };
  }
  const latest = turn.items.findLast((item) => item.kind !== 'steered');
  const streams = latest !== undefined && turn.phase.open && latest.seq >= (turn.phaseSeqs.at(-1) ?? 0);
  if (streams && latest.kind === 'text') {
    if (compacts(turn)) return { tone: 'action', words: words.status.summingUp, sinceMs: null };
    return {
      tone: 'action',
      words: turn.phase.isFinal ? words.status.writingFinalAnswer : words.status.answering,
      sinceMs: null,
    };
  }
  // What sums up says nothing that is shown.
  const told = turn.items.findLast((item) => item.kind === 'notice');
  if (told?.kind === 'notice' && told.code === 'summing_up' && turn.phase.open && told.seq === turn.seq - 1)
    return { tone: 'action', words: words.status.summingUp, sinceMs: turn.atMs };
  if (streams && latest.kind === 'reasoning')
    return { tone: 'action', words: words.status.thinking, sinceMs: latest.atMs };
  if (retry?.kind === 'retry') {
    return {
      tone: 'action',
      words: words.status.waitingToRetry(retry.attempt),
      sinceMs: null,
      untilMs: turn.atMs + retry.delayMs,
    };
  }
  const unrun = turn.items.some((item) => item.kind === 'tool' && item.outcome === null);
  if (unrun) return { tone: 'tool', words: words.status.startingTool, sinceMs: null };
  return { tone: 'action', sinceMs: turn.atMs, ...reading(turn) };
}

/** The part of the prompt that is read, where the server says it, or the time that this is likely to take. */
function reading(turn: Turn): Pick<Status, 'words' | 'figure'> {
  const progress = turn.reading?.seq === turn.seq ? turn.reading.progress : null;
  const { total = null, processed = null, cached = null, elapsedMs = 0, leftMs = null } = progress ?? {};
  if (total !== null && processed !== null)
    return { words: words.status.reading, figure: words.status.readSoFar(processed, total, cached ?? 0, leftMs) };
  return {
    words: words.status.waitingForModel,
    figure: leftMs === null ? '' : words.status.inAll(elapsedMs + leftMs),
  };
}

/** The last event before those that a person caused by writing to the turn (A9): they change nothing of what it does. */
function seqBeforeSteered({ seq, items }: Turn): number {
  const steered = new Set(items.flatMap((item) => (item.kind === 'steered' ? [item.seq] : [])));
  let last = seq;
  while (steered.has(last)) last -= 1;
  return last;
}

function writing(turn: Turn, { path, stage }: WriteItem): Pick<Status, 'tone' | 'words' | 'figure' | 'sinceMs'> {
  const say = (told: string, figure = '', sinceMs: number | null = null) => ({
    tone: 'write' as Tone,
    words: told,
    figure,
    sinceMs,
  });
  switch (stage.kind) {
    case 'content': {
      const { lines, bytes: size } = stage.content;
      if (!turn.phase.open && size > 0) return say(words.status.checking(path), '', turn.atMs);
      const figure = lines === null || size === 0 ? '' : words.status.lines(lines);
      return say(words.status.writing(path), figure, size === 0 ? turn.atMs : null);
    }
    case 'correcting':
      return turn.phase.open
        ? say(words.status.correcting(stage.places), '', turn.atMs)
        : say(words.status.checking(path), '', turn.atMs);
    case 'proposed':
    case 'saving':
    case 'done':
      return say(words.status.saving(path), '', turn.atMs);
  }
}

function ended(turn: Turn, kind: 'completed' | 'stopped' | 'failed', reason: StopReason): Status {
  const [tone, told] = ending(turn, kind, reason);
  return { tone, words: told, figure: spent(turn) ?? '', sinceMs: null, untilMs: null, facts: [], running: false };
}

function ending(turn: Turn, kind: 'completed' | 'stopped' | 'failed', reason: StopReason): [Tone, string] {
  if (kind === 'stopped') return ['calm', words.status.stopped];
  if (kind === 'failed') return ['problem', words.status.failed];
  switch (reason) {
    case 'budget_exhausted':
    case 'duplicates_exhausted': {
      const limit = atLimit(turn);
      if (limit) return ['waiting', limit];
      return wantsMore(turn) ? ['waiting', words.status.notFinished] : answered(turn);
    }
    case 'length':
      return ['problem', repeatedItself(turn) ? words.status.repeatedItself : words.status.outputLimit];
    case 'empty':
      return ['problem', words.status.noAnswer];
    case 'unknown':
      return ['problem', words.status.unknownEnd];
    case 'content_filter':
      return ['problem', words.status.contentFilter];
    case 'approval':
      return ['waiting', words.status.waitingForApproval];
    case 'clarification':
      return ['waiting', words.status.waitingForAnswer];
    case 'paused':
      return ['waiting', words.status.paused];
    case 'answered':
      return compacts(turn) ? ['calm', words.status.compacted] : answered(turn);
    case 'stopped':
    case 'error':
      return ['calm', words.status.answered];
  }
}

/** A turn that was to write, and wrote nothing, did not do what it was asked. */
function answered(turn: Turn): [Tone, string] {
  return unwritten(turn.end?.report.writes ?? []) === 'not_written'
    ? ['problem', words.status.notWritten]
    : ['calm', words.status.answered];
}

/** T7: the turn ended at its limit in time or money. */
function atLimit(turn: Turn): string | null {
  const { maxSeconds, maxCostUsd } = turn.start?.policy ?? {};
  const exhausted = turn.end?.report.exhausted;
  if (exhausted === 'seconds') return words.status.timeLimit((maxSeconds ?? 0) * 1_000);
  if (exhausted === 'cost') return words.status.costLimit(maxCostUsd ?? 0);
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
  const pauses = turn.pausing.next && !asks(turn, 'pause') ? [words.status.pausesNext] : [];
  return [
    ...pauses,
    words.status.steps(Math.min(turn.phase.cycle, policy.maxCycles), policy.maxCycles),
    words.status.calls(turn.modelCalls, bounds.modelCalls),
  ];
}

/** P7: the model gave no answer, also when it was asked once more. */
export function hasNoAnswer(turn: Turn): boolean {
  return turn.end?.kind === 'completed' && turn.end.report.stopReason === 'empty';
}

/** Its last response has reasoning: it was no answer, so that was all of it. */
function onlyReasoned({ items, phaseSeqs }: Turn): boolean {
  const begun = phaseSeqs.at(-1) ?? 0;
  return items.some(({ kind, seq }) => kind === 'reasoning' && seq >= begun);
}

/** True when the person can go on from here with a fresh budget (P3). */
export function canContinue(turn: Turn): boolean {
  const reason = turn.end?.report.stopReason;
  return (
    turn.end?.kind === 'completed' &&
    !compacts(turn) &&
    (reason === 'budget_exhausted' || reason === 'duplicates_exhausted' || reason === 'length' || reason === 'empty')
  );
}

/** The budget that ended the turn, or the thing that came in place of an answer: the detail of its headline. */
export function spent(turn: Turn): string | null {
  switch (turn.end?.kind === 'completed' ? turn.end.report.stopReason : null) {
    case 'budget_exhausted':
      return atLimit(turn) ? null : words.status.allSteps(turn.phase.cycle);
    case 'duplicates_exhausted':
      return words.status.repeatedCall;
    case 'empty':
      return onlyReasoned(turn) ? words.status.onlyReasoned : null;
    default:
      return null;
  }
}

/** The turn ended before the model had its last word (X7): it asked for a tool in its final answer, gave none, or was cut off. */
export function wantsMore(turn: Turn): boolean {
  const blocked = turn.items.some(
    (item) =>
      (item.kind === 'blocked' && item.reason === 'final_answer') ||
      (item.kind === 'notice' && item.code === 'empty_answer'),
  );
  const reason = turn.end?.report.stopReason;
  return canContinue(turn) && (reason === 'length' || reason === 'empty' || blocked || atLimit(turn) !== null);
}

/** The finish reason that ended the answer and that Orion does not know (P10), for the person to judge. */
export function unknownFinish(turn: Turn): string | null {
  return turn.end?.report.stopReason === 'unknown' ? turn.finishReason : null;
}
