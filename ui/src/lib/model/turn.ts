// What the window knows of one turn, folded from its envelopes (T5: a view of the journal). Pure: no clock, no I/O.
// Envelopes may come twice, late or not at all. One that comes too early is kept until the gap before it is filled.
// Not here: words for people (status.ts) and asking for what is missing (the store).

import type { AttachedFile } from '$lib/generated/AttachedFile';
import type { Bounds } from '$lib/generated/Bounds';
import type { Envelope } from '$lib/generated/Envelope';
import type { ForkedFrom } from '$lib/generated/ForkedFrom';
import type { Mode } from '$lib/generated/Mode';
import type { Pending } from '$lib/generated/Pending';
import type { Phase } from '$lib/generated/Phase';
import type { Policy } from '$lib/generated/Policy';
import type { PromptProgress } from '$lib/generated/PromptProgress';
import type { Purpose } from '$lib/generated/Purpose';
import type { TurnEvent } from '$lib/generated/TurnEvent';
import type { TurnChoices } from '$lib/generated/TurnChoices';
import type { TurnLimits } from '$lib/generated/TurnLimits';
import type { TurnReport } from '$lib/generated/TurnReport';
import { applyEvent } from './event';
import { showCheckOutput } from './turnChecks';
import { changeChecks, type Item, place, showOutput } from './item';
import { afterBytes, utf8Length } from './utf8';
import { offerContent } from './write';

export interface TurnStart {
  purpose: Purpose;
  text: string;
  policy: Policy;
  bounds: Bounds;
  mode: Mode;
  model: string;
  endpoint: string;
  tools: string[];
  /** The budgets that a person chose for the turn. */
  chosen: TurnLimits | null;
  /** What else the person chose for it. */
  choices: TurnChoices | null;
}

export interface CurrentPhase {
  phase: Phase;
  cycle: number;
  isFinal: boolean;
  open: boolean;
}

/** A stretch of a turn that is over, with its figures. */
export interface EndedPhase {
  /** That of the event with which it began. */
  seq: number;
  durationMs: number;
  /** Of its model call; null where the provider says none. */
  tokens: number | null;
}

export interface TurnEnd {
  kind: 'completed' | 'stopped' | 'failed';
  report: TurnReport;
}

/** How far one of the two streams of text has come. */
export interface TextPosition {
  bytes: number;
  /** `seq` of the last chunk that was placed. */
  seq: number;
}

export interface Turn {
  requestId: string;
  sessionId: string;
  projectId: string;
  /** `seq` of the last durable event that was placed; all before it were. */
  seq: number;
  atMs: number;
  startedAtMs: number;
  start: TurnStart | null;
  /** Files that came with the message. */
  attached: readonly AttachedFile[];
  phase: CurrentPhase;
  /** `seq` of each `phase_started`, so that late text finds the phase it belongs to. */
  phaseSeqs: readonly number[];
  /** Those of them that are prompts of a write session. */
  promptSeqs: readonly number[];
  /** In their order. */
  endedPhases: readonly EndedPhase[];
  modelCalls: number;
  /** Model calls of write sessions; they are not among `modelCalls` (T4). */
  writePrompts: number;
  toolRuns: number;
  /** When the tool that runs has begun, while one does. */
  toolSinceMs: number;
  /** The part of the prompt that the model's server has read: it counts until an event with another `seq`. */
  reading: { progress: PromptProgress; seq: number } | null;
  items: readonly Item[];
  text: TextPosition;
  reasoning: TextPosition;
  /** The question that it waits with (A7). */
  pending: Pending | null;
  /** When it was asked. */
  askedAtMs: number;
  /** How long the turn has waited for a person, until the question that is open. */
  waitedMs: number;
  /** When it is to pause: after each tool phase, and once before the next model call. */
  pausing: { afterTools: boolean; next: boolean };
  /** `seq` of the last event after which more or less of the model's room is filled. */
  filledSeq: number;
  /** How the provider ended its last response, word for word (P10). */
  finishReason: string | null;
  end: TurnEnd | null;
  /** The process died while the turn ran (A5). */
  interrupted: boolean;
  /** No process runs the turn; it waits for a person to approve a write. */
  waiting: boolean;
  /** Another version of Orion wrote the turn: it can be read, rejected and stopped, and not resumed (T8). */
  otherVersion: boolean;
  /** All turns that follow the same turn as this one, itself among them, oldest first (T9). Empty until a page of the session has told. */
  branches: readonly string[];
  /** A person undid the compaction that it made; no event tells of that (X4). */
  compactionUndone: boolean;
  /** Where its session was forked from, where this is its first turn (T9). Null until a page of the session has told. */
  forkedFrom: ForkedFrom | null;
  /** Arrived too early, in the order of arrival. */
  held: readonly Envelope[];
}

/** Early envelopes that are kept per turn. Beyond that the oldest are dropped, and the refill brings them again. */
const MAX_HELD = 4_096;

export function emptyTurn(ids: Pick<Envelope, 'requestId' | 'sessionId' | 'projectId'>): Turn {
  return {
    requestId: ids.requestId,
    sessionId: ids.sessionId,
    projectId: ids.projectId,
    seq: 0,
    atMs: 0,
    startedAtMs: 0,
    start: null,
    attached: [],
    phase: { phase: 'action_phase', cycle: 0, isFinal: false, open: false },
    phaseSeqs: [],
    promptSeqs: [],
    endedPhases: [],
    modelCalls: 0,
    writePrompts: 0,
    toolRuns: 0,
    toolSinceMs: 0,
    reading: null,
    items: [],
    text: { bytes: 0, seq: 0 },
    reasoning: { bytes: 0, seq: 0 },
    pending: null,
    askedAtMs: 0,
    waitedMs: 0,
    pausing: { afterTools: false, next: false },
    filledSeq: 0,
    finishReason: null,
    end: null,
    interrupted: false,
    waiting: false,
    otherVersion: false,
    branches: [],
    compactionUndone: false,
    forkedFrom: null,
    held: [],
  };
}

/** Places one envelope, and then whatever was waiting for it. */
export function foldEnvelope(turn: Turn, envelope: Envelope): Turn {
  let next = offer(turn, envelope);
  if (next === turn || next.held.length === 0) return next;
  for (;;) {
    const waiting = next.held;
    let tried: Turn = { ...next, held: [] };
    for (const held of waiting) tried = offer(tried, held);
    if (tried.held.length === waiting.length) return next;
    next = tried;
    if (next.held.length === 0) return next;
  }
}

/** The `seq` after which events are missing, or null when nothing is known to be (T6). */
export function missingAfter(turn: Turn): number | null {
  // What is missing of a stream came after its last chunk, so the refill begins with the event before that one.
  const before = (position: TextPosition) => Math.max(position.seq - 1, 0);
  const lacksText = turn.end !== null && turn.text.bytes + jointBytes(turn) < utf8Length(turn.end.report.answer);
  const known = turn.held.filter((held) => held.seq <= turn.seq).map((held) => before(turn[streamOf(held.event)]));
  if (lacksText) known.push(before(turn.text));
  if (known.length > 0) return Math.min(...known);
  return turn.held.length > 0 ? turn.seq : null;
}

/** A report joins the texts of a turn's phases with an empty line, which no chunk brings. */
export const JOINT = '\n\n';

function jointBytes(turn: Turn): number {
  const texts = turn.items.filter((item) => item.kind === 'text');
  const phases = new Set(texts.map(({ seq }) => turn.phaseSeqs.findLast((begun) => begun <= seq)));
  return Math.max(phases.size - 1, 0) * JOINT.length;
}

function offer(turn: Turn, envelope: Envelope): Turn {
  const { event } = envelope;
  if (event.type === 'text_chunk' || event.type === 'reasoning_chunk') return offerChunk(turn, envelope, event);
  if (event.type === 'prompt_progress')
    return envelope.seq < turn.seq ? turn : { ...turn, reading: { progress: event, seq: envelope.seq } };
  if (event.type === 'tool_output') return { ...turn, items: showOutput(turn.items, event) };
  if (event.type === 'check_output')
    return { ...turn, items: changeChecks(turn.items, (of) => showCheckOutput(of, event.name, event.text)) };
  if (event.type === 'write_progress') return offerContent(turn, envelope, event) ?? hold(turn, envelope);
  if (envelope.seq <= turn.seq || turn.end !== null) return turn; // T2, T3: seen before
  if (envelope.seq > turn.seq + 1) return hold(turn, envelope);
  return applyEvent({ ...turn, seq: envelope.seq, atMs: envelope.atMs }, envelope, event);
}

type Chunk = Extract<TurnEvent, { type: 'text_chunk' | 'reasoning_chunk' }>;

function offerChunk(turn: Turn, envelope: Envelope, chunk: Chunk): Turn {
  const kind = streamOf(chunk);
  const position = turn[kind];
  const end = chunk.offset + utf8Length(chunk.text);
  if (end <= position.bytes) return turn;
  if (chunk.offset > position.bytes || envelope.seq > turn.seq) return hold(turn, envelope);
  const fresh = afterBytes(chunk.text, position.bytes - chunk.offset);
  return {
    ...turn,
    items: place(
      turn.items,
      kind,
      envelope.seq,
      fresh,
      envelope.atMs,
      turn.phaseSeqs.findLast((begun) => begun <= envelope.seq) ?? 0,
    ),
    [kind]: { bytes: end, seq: envelope.seq },
  };
}

function streamOf(event: TurnEvent): 'text' | 'reasoning' {
  return event.type === 'reasoning_chunk' ? 'reasoning' : 'text';
}

function hold(turn: Turn, envelope: Envelope): Turn {
  return { ...turn, held: [...turn.held, envelope].slice(-MAX_HELD) };
}
