// What each durable event changes in a turn (E2). A type this window does not know changes nothing (E3).

import type { Envelope } from '$lib/generated/Envelope';
import type { Given } from '$lib/generated/Given';
import type { NoticeCode } from '$lib/generated/NoticeCode';
import type { Pending } from '$lib/generated/Pending';
import type { TurnEvent } from '$lib/generated/TurnEvent';
import type { TurnReport } from '$lib/generated/TurnReport';
import type { Usage } from '$lib/generated/Usage';
import { words } from '$lib/words';
import { beginCheck, endCheck, endChecks, leftOut, NO_CHECKS } from './turnChecks';
import {
  askTool,
  changeChecks,
  editResults,
  editTool,
  insert,
  type Item,
  replaceTool,
  runOutside,
  settleSteered,
} from './item';
import { pendingAfter } from './pending';
import type { Turn } from './turn';
import { abandoned, applyWrite, approved } from './write';

/** After these the model's room is filled otherwise (X2): a call was counted, a result came, something left. */
const FILLS: ReadonlySet<TurnEvent['type']> = new Set([
  'turn_started',
  'phase_ended',
  'tool_result',
  'call_reused',
  'context_cut',
  'write_done',
]);

/** With these the next tool of a phase begins: what a person writes meanwhile does not set its clock back. */
const BEGINS: ReadonlySet<TurnEvent['type']> = new Set([
  'phase_started',
  'answered',
  'tool_result',
  'call_reused',
  'resumed',
]);

export function applyEvent(turn: Turn, envelope: Envelope, event: TurnEvent): Turn {
  const toolSinceMs = BEGINS.has(event.type) ? envelope.atMs : turn.toolSinceMs;
  const pending = pendingAfter(turn.pending, event);
  const next = { ...changed(turn, envelope, event), toolSinceMs, pending, ...waiting(turn, pending, envelope.atMs) };
  return FILLS.has(event.type) ? { ...next, filledSeq: envelope.seq } : next;
}

/** How long the turn has waited, and since when it does, where `pending` is open now. */
function waiting(
  { pending: before, askedAtMs, waitedMs }: Turn,
  pending: Pending | null,
  atMs: number,
): Pick<Turn, 'askedAtMs' | 'waitedMs'> {
  if (pending === before) return { askedAtMs, waitedMs };
  return { askedAtMs: atMs, waitedMs: before ? waitedMs + Math.max(0, atMs - askedAtMs) : waitedMs };
}

/** All but `pending`, which is still that of before. */
function changed(turn: Turn, envelope: Envelope, event: TurnEvent): Turn {
  const { seq } = envelope;
  switch (event.type) {
    case 'turn_started': {
      const { text, policy, bounds, mode, model, endpoint, tools, chosen, choices } = event;
      const purpose = event.purpose ?? 'answer';
      const pausing = { afterTools: policy.pauseAfterTool, next: false };
      return {
        ...turn,
        startedAtMs: envelope.atMs,
        pausing,
        start: {
          purpose,
          text,
          policy,
          bounds,
          mode,
          model,
          endpoint,
          tools,
          chosen: chosen ?? null,
          choices: choices ?? null,
        },
      };
    }
    case 'attached':
      return { ...turn, attached: event.files };
    case 'phase_started': {
      const { cycle, isFinal, modelCall, write } = event;
      // T4: a prompt of a write session is counted by itself; its `modelCall` counts within the session.
      const prompt = write !== null && write !== undefined;
      const begun: Turn = {
        ...turn,
        interrupted: false,
        waiting: false,
        phase: { phase: envelope.phase, cycle, isFinal, open: true },
        phaseSeqs: [...turn.phaseSeqs, seq],
        promptSeqs: prompt ? [...turn.promptSeqs, seq] : turn.promptSeqs,
        modelCalls: prompt ? turn.modelCalls : (modelCall ?? turn.modelCalls),
        writePrompts: turn.writePrompts + (prompt ? 1 : 0),
      };
      // A9: the model is given them with a call for an answer, and not inside a write session.
      if (!prompt && modelCall !== null) begun.items = settleSteered(begun.items, 'model');
      if (envelope.phase === 'tool_phase')
        return { ...begun, items: insert(turn.items, { kind: 'tool_phase', seq, cycle }) };
      if (envelope.phase === 'check_phase')
        return { ...begun, items: insert(begun.items, { kind: 'checks', seq, ...NO_CHECKS }) };
      return isFinal
        ? { ...begun, items: insert(withoutLast(begun.items, 'budget_exhausted'), { kind: 'final_phase', seq }) }
        : begun;
    }
    case 'phase_ended':
      return {
        ...turn,
        items: envelope.phase === 'check_phase' ? changeChecks(turn.items, endChecks) : turn.items,
        finishReason: event.finishReason,
        endedPhases: [
          ...turn.endedPhases,
          { seq: turn.phaseSeqs.at(-1) ?? 0, durationMs: event.durationMs, tokens: tokensOf(event.usage) },
        ],
        phase: { ...turn.phase, open: false },
      };
    case 'tool_call': {
      const { toolCallId: callId, name, arguments: args, made, leaked } = event;
      const read = { ...(made && { made }), ...(leaked && { leaked }) };
      return {
        ...turn,
        items: insert(turn.items, { kind: 'tool', seq, callId, name, arguments: args, ...read, outcome: null }),
      };
    }
    case 'tool_result': {
      const { status, summary, bytes, truncated, durationMs, error, command } = event;
      const outcome = { status, summary, bytes, truncated, durationMs, error, ...(command && { command }) };
      const ran = status !== 'duplicate' && status !== 'malformed';
      return {
        ...turn,
        toolRuns: turn.toolRuns + (ran ? 1 : 0),
        items: replaceTool(turn.items, event.toolCallId, outcome, seq),
      };
    }
    case 'duplicate_refused': {
      const { name, arguments: args, original, count, limit } = event;
      return {
        ...turn,
        items: insert(turn.items, { kind: 'refused', seq, name, arguments: args, original, count, limit }),
      };
    }
    case 'call_reused': {
      const { name, arguments: args, originalRequestId, count, limit } = event;
      return {
        ...turn,
        items: insert(turn.items, { kind: 'reused', seq, name, arguments: args, originalRequestId, count, limit }),
      };
    }
    case 'asked':
      if (event.of.type === 'pause') return { ...turn, pausing: { ...turn.pausing, next: false } };
      return event.of.type === 'call' && event.of.command
        ? { ...turn, items: askTool(turn.items, event.of.toolCallId, event.of.command) }
        : turn;
    case 'answered': {
      const { pending } = turn;
      // A1: an approval that was kept answers what nobody was asked.
      return pending?.digest === event.digest ? { ...answered(turn, pending, event.given), waiting: false } : turn;
    }
    case 'calls_blocked':
      return { ...turn, items: insert(turn.items, { kind: 'blocked', seq, names: event.names, reason: event.reason }) };
    case 'notice':
      // P8, W2: the blocked calls before it already say this, with their names.
      if (event.code === 'final_call_refused' || event.code === 'write_call_refused') return turn;
      return {
        ...turn,
        items: insert(turn.items, { kind: 'notice', seq, code: event.code, message: noticeWords(event) }),
      };
    case 'context_cut': {
      const { cause, boxes, turns, tokensBefore, tokensAfter, room, pins } = event;
      const messages = turns.reduce((sum, turn) => sum + turn.messages, 0);
      const cut = { cause, results: boxes.length, messages, tokensBefore, tokensAfter, room, pins: pins ?? 0 };
      return { ...turn, items: insert(turn.items, { kind: 'cut', seq, ...cut }) };
    }
    case 'rewound': {
      const back = event.files.filter(({ change }) => change !== null).length;
      const message = words.context.rewound(back);
      return { ...turn, items: insert(turn.items, { kind: 'notice', seq, code: 'other', message }) };
    }
    case 'compacted': {
      const { turns, tokensBefore, tokensAfter } = event;
      return { ...turn, items: insert(turn.items, { kind: 'compacted', seq, turns, tokensBefore, tokensAfter }) };
    }
    case 'retrying': {
      const { attempt, delayMs, cause } = event;
      return { ...turn, items: insert(turn.items, { kind: 'retry', seq, attempt, delayMs, cause }) };
    }
    case 'check_started':
      return {
        ...turn,
        items: changeChecks(turn.items, (of) => beginCheck(of, event.name, event.command, envelope.atMs)),
      };
    case 'check_ended':
      return {
        ...turn,
        items: changeChecks(turn.items, (of) => endCheck(of, event.run, event.failedBefore, envelope.atMs)),
      };
    case 'interrupted':
      // A5, A7: what was asked stays, and the process that resumes the turn asks the same.
      return { ...turn, interrupted: true, phase: { ...turn.phase, open: false } };
    case 'resumed':
      // A7: a pause lasts until a person ends it, whichever process has the turn.
      return { ...turn, interrupted: false, waiting: turn.pending?.of.type === 'pause' && turn.waiting };
    case 'steered':
      return { ...turn, items: insert(turn.items, { kind: 'steered', seq, text: event.text, to: 'waiting' }) };
    case 'queued':
      return { ...turn, items: settleSteered(turn.items, 'queue', event.messages) };
    case 'pause_requested':
      return { ...turn, pausing: { afterTools: event.afterTools, next: event.next } };
    case 'write_started':
    case 'write_faults':
    case 'write_ready':
    case 'write_done':
      return applyWrite(turn, seq, event);
    case 'completed':
    case 'stopped':
    case 'failed': {
      const over = abandoned(turn);
      // P7: that no answer came is said by the end itself.
      const items = event.report.stopReason === 'empty' ? withoutLast(over.items, 'empty_answer') : over.items;
      return {
        ...over,
        items: withEvaluation(items, event.report, envelope),
        interrupted: false,
        waiting: false,
        end: { kind: event.type, report: event.report },
        phase: { ...turn.phase, phase: envelope.phase, open: false },
      };
    }
    case 'withdrawn':
    case 'prompt_progress':
    case 'tool_output':
    case 'check_output':
    case 'text_chunk':
    case 'reasoning_chunk':
    case 'write_progress':
    case 'unknown':
      return turn;
    default:
      return turn;
  }
}

function tokensOf(usage: Usage | null): number | null {
  if (!usage || (usage.promptTokens === null && usage.completionTokens === null)) return null;
  return (usage.promptTokens ?? 0) + (usage.completionTokens ?? 0);
}

/** The report says how the last checks came out, and names those that a limit left out. */
function withEvaluation(items: readonly Item[], report: TurnReport, { seq, atMs }: Envelope): readonly Item[] {
  const seen = items.flatMap((item) => (item.kind === 'checks' ? item.checks.map(({ name }) => name) : []));
  const others = leftOut(report, new Set(seen), atMs);
  const { evaluation } = report;
  if (others) return insert(items, { kind: 'checks', seq, ...others });
  return changeChecks(items, (of) => ({ ...endChecks(of), evaluation }));
}

/** The question has its answer. */
function answered(turn: Turn, { digest, of }: Pending, given: Given): Turn {
  switch (given.type) {
    case 'allowed': {
      let { items } = turn;
      if (of.type === 'call' && given.edited) items = editTool(items, of.toolCallId, given.edited.arguments);
      if (of.type === 'call' && given.outside) items = runOutside(items, of.toolCallId);
      return approved({ ...turn, items }, digest);
    }
    case 'resumed':
      return { ...turn, items: editResults(turn.items, given.edited) };
    case 'rejected':
    case 'kept':
    case 'chosen':
    case 'answered':
      return turn;
  }
}

/** A journal counts cycles (P3), which a person knows as steps, and its words are pinned (T8): the window has its own. */
function noticeWords({ code, message }: Extract<TurnEvent, { type: 'notice' }>): string {
  if (code === 'budget_exhausted') return words.step.allUsed;
  return code === 'cut_by_length' && message === words.step.outputLimit ? words.step.cutAtLimit : message;
}

/** A notice is left out where what follows it says the same: the line of the final answer that the steps are used (P3). */
function withoutLast(items: readonly Item[], code: NoticeCode): readonly Item[] {
  const last = items.at(-1);
  return last?.kind === 'notice' && last.code === code ? items.slice(0, -1) : items;
}
