// The rail of a turn: each of its steps as a stop, and the steps that it may still take (P3). Pure.
// Not here: how a stop looks (ui/chat/RailStop.svelte), and opening what is at it (ui/chat/Conversation.svelte).

import { words } from '$lib/words';
import { waitWords } from './asked';
import { COMMANDS, endWords, lineOf } from './command';
import { boxWords } from './diff/words';
import { type Item, itemKey, type ItemOf } from './item';
import { canPause } from './pause';
import { asks } from './pending';
import { named, plain } from './plain';
import { isRunning, type Tone } from './status';
import { placeOfCall, placeOfPhase, placeOfWrite } from './timeline/entry';
import type { Turn } from './turn';
import { failedIn, millisecondsOf, outcomeOf } from './turnChecks';
import { duration, mainArgument } from './words';

export type StopShape = 'model' | 'tool' | 'command' | 'write' | 'checks' | 'waiting';

export interface Stop {
  /** Stable while the turn is shown. */
  key: string;
  shape: StopShape;
  tone: Tone;
  title: string;
  /** How long it took, its tokens, how it ended. */
  facts: readonly string[];
  /** The turn is here. */
  live: boolean;
  /** Where it is shown in the chat, as the timeline names it. */
  place: string | null;
}

export interface Rail {
  stops: readonly Stop[];
  /** Steps before the first of them. */
  earlier: number;
  /** Steps that are left. */
  ahead: number;
  /** Ahead of the live end the turn can be told to pause, or it was. */
  pause: 'possible' | 'asked' | null;
}

/** The most stops: a turn with more has its first ones in the trace. */
export const MOST_STOPS = 48;

/** The most empty stops that are drawn one by one: the steps of a turn with commands (P3). */
export const MOST_AHEAD = 8;

/** Changes when the rail may. It is the same while only text, output or content comes. */
export function railMark(turn: Turn): unknown {
  return turn.end || turn.interrupted ? turn : `${turn.seq} ${turn.waiting} ${turn.otherVersion}`;
}

export function railOf(turn: Turn): Rail {
  const stops = stopsOf(turn);
  const earlier = Math.max(0, stops.length - MOST_STOPS);
  const ahead = aheadOf(turn);
  const asked = turn.pausing.next || turn.pausing.afterTools;
  const pause = ahead === 0 || !canPause(turn) || asks(turn, 'pause') ? null : asked ? 'asked' : 'possible';
  return { stops: stops.slice(earlier), earlier, ahead, pause };
}

/** The steps that are not used. Those of a final answer, and once the model has ended, are gone. */
function aheadOf({ phase, start, end }: Turn): number {
  if (end || !start || start.purpose === 'compact' || phase.isFinal || phase.phase === 'check_phase') return 0;
  return Math.max(0, start.policy.maxCycles - phase.cycle);
}

function stopsOf(turn: Turn): Stop[] {
  const others = turn.items.flatMap((item) => stopOf(turn, item) ?? []);
  const all = [...modelStops(turn), ...others].sort((a, b) => a.seq - b.seq).map(({ stop }) => stop);
  const pause = asks(turn, 'pause');
  if (pause)
    all.push({ ...NOTHING, key: 'pause', shape: 'waiting', tone: 'waiting', title: waitWords(pause), live: true });
  const last = all.at(-1);
  if (!last) return [];
  // What waits is where the turn is, whatever else it has begun.
  const now = all.find(({ shape }) => shape === 'waiting') ?? (isRunning(turn) ? last : null);
  const broken = turn.end?.kind === 'failed' || turn.interrupted ? last : null;
  return all.map((stop) => ({
    ...stop,
    live: stop === now,
    tone: stop === broken && stop.shape !== 'waiting' ? 'problem' : stop.tone,
  }));
}

/** The keys of model calls begin so. */
const MODEL = 'model ';

const NOTHING = { facts: [], live: false, place: null };

interface Placed {
  seq: number;
  stop: Stop;
}

/** The model's calls, but those of a write session, which are that session's. */
function modelStops(turn: Turn): Placed[] {
  const others = new Set(
    turn.items.flatMap(({ kind, seq }) => (kind === 'tool_phase' || kind === 'checks' ? [seq] : [])),
  );
  const prompts = new Set(turn.promptSeqs);
  const finals = new Set(turn.items.flatMap(({ kind, seq }) => (kind === 'final_phase' ? [seq] : [])));
  const calls = turn.phaseSeqs.flatMap((seq, phase) => (others.has(seq) || prompts.has(seq) ? [] : [{ seq, phase }]));
  return calls.map(({ seq, phase }, at) => {
    const ended = turn.endedPhases.find((it) => it.seq === seq);
    const facts = ended ? [duration(ended.durationMs), ...tokens(ended.tokens)] : running(turn);
    const title = finals.has(seq) ? words.rail.finalAnswer : words.rail.modelCall(at + 1);
    return {
      seq,
      stop: {
        key: `${MODEL}${seq}`,
        shape: 'model',
        tone: 'action',
        title,
        facts,
        live: false,
        place: placeOfPhase(phase),
      },
    };
  });
}

function stopOf(turn: Turn, item: Item): Placed | null {
  switch (item.kind) {
    case 'tool':
      return turn.items.some((other) => other.kind === 'write' && other.callId === item.callId)
        ? null
        : placed(item, toolStop(turn, item));
    case 'write':
      return placed(item, writeStop(turn, item));
    case 'checks':
      return placed(item, checksStop(item));
    default:
      return null;
  }
}

const placed = (item: Item, stop: Omit<Stop, 'key' | 'live'>): Placed => ({
  seq: item.seq,
  stop: { ...stop, key: itemKey(item), live: false },
});

function toolStop(turn: Turn, tool: ItemOf<'tool'>): Omit<Stop, 'key' | 'live'> {
  const line = lineOf(tool);
  const title = plain(`${tool.name} ${line ?? mainArgument(tool.arguments)}`.trim());
  const place = placeOfCall(tool.callId);
  const shape = tool.name === COMMANDS || tool.outcome?.command ? 'command' : 'tool';
  const asked = asks(turn, 'call', 'questions');
  if (asked?.toolCallId === tool.callId && isRunning(turn))
    return { shape: 'waiting', tone: 'waiting', title, facts: [waitWords(asked)], place };
  if (!tool.outcome) return { shape, tone: 'tool', title, facts: running(turn), place };
  const { status, command, summary, durationMs } = tool.outcome;
  const ended = command ? endWords(command.ended) : plain(summary) || words.toolStates[status];
  return { shape, tone: TONES[status], title, facts: [duration(durationMs), ended], place };
}

/** A call that brought nothing is grey. Teal is for what waits for a person alone. */
const TONES: Record<NonNullable<ItemOf<'tool'>['outcome']>['status'], Tone> = {
  ok: 'tool',
  reused: 'tool',
  failed: 'problem',
  denied: 'problem',
  timed_out: 'problem',
  malformed: 'problem',
  cancelled: 'calm',
  duplicate: 'calm',
};

function writeStop(turn: Turn, write: ItemOf<'write'>): Omit<Stop, 'key' | 'live'> {
  const title = words.rail.write(named(write.path));
  const place = placeOfWrite(write.write);
  const asked = asks(turn, 'write', 'repeats');
  if (asked?.write === write.write && isRunning(turn))
    return { shape: 'waiting', tone: 'waiting', title, facts: [waitWords(asked)], place };
  const next = turn.items.find((item) => item.kind === 'write' && item.seq > write.seq);
  const prompts = turn.endedPhases.filter(
    ({ seq }) => turn.promptSeqs.includes(seq) && seq >= write.seq && seq < (next?.seq ?? Infinity),
  );
  const sum = prompts.reduce((all, { tokens: of }) => all + (of ?? 0), 0);
  const ms = prompts.reduce((all, { durationMs }) => all + durationMs, 0);
  if (write.stage.kind !== 'done') return { shape: 'write', tone: 'write', title, facts: running(turn), place };
  const { tone, facts } = boxWords(turn, write);
  return {
    shape: 'write',
    tone,
    title,
    facts: [...(ms > 0 ? [duration(ms)] : []), ...tokens(sum === 0 ? null : sum), ...facts.slice(0, 2)],
    place,
  };
}

function checksStop(item: ItemOf<'checks'>): Omit<Stop, 'key' | 'live'> {
  const outcome = outcomeOf(item);
  const ms = millisecondsOf(item);
  return {
    shape: 'checks',
    tone: failedIn(item).length > 0 ? 'problem' : outcome === 'skipped' ? 'calm' : 'tool',
    title: words.rail.checks,
    facts: [...(ms > 0 ? [duration(ms)] : []), outcome ? words.turnChecks.statuses[outcome] : words.rail.running],
    place: null,
  };
}

const tokens = (used: number | null): string[] => (used === null ? [] : [words.rail.tokens(used)]);

/** What has no end: it runs, or nothing will come of it. */
const running = (turn: Turn): string[] => [isRunning(turn) ? words.rail.running : words.toolStates.notFinished];

/** What the chat shows of a stop; null where it shows nothing of it. Of a model call that is its text, else its reasoning, else what it asked for. */
export function shownAt(turn: Turn, key: string): Item | null {
  if (!key.startsWith(MODEL)) return turn.items.find((item) => itemKey(item) === key) ?? null;
  const from = Number(key.slice(MODEL.length));
  const to = turn.phaseSeqs.find((seq) => seq > from) ?? Infinity;
  const its = turn.items.filter(({ seq }) => seq >= from && seq < to);
  const first = (kind: Item['kind']) => its.find((item) => item.kind === kind);
  return first('text') ?? first('reasoning') ?? first('write') ?? first('tool') ?? null;
}
