// What the events of a write session change (W). A session is one item of its turn, from its start to its outcome.

import type { Envelope } from '$lib/generated/Envelope';
import type { ErrorInfo } from '$lib/generated/ErrorInfo';
import type { TurnEvent } from '$lib/generated/TurnEvent';
import type { Undone } from '$lib/generated/Undone';
import type { WriteOperation } from '$lib/generated/WriteOperation';
import type { WriteProposal } from '$lib/generated/WriteProposal';
import type { WriteStatus } from '$lib/generated/WriteStatus';
import type { WriteView } from '$lib/generated/WriteView';
import { type Content, mended, NO_CONTENT, progressed } from './content';
import { insert, type ItemOf } from './item';
import { type Asks, asks } from './pending';
import type { Turn } from './turn';

export interface WriteOutcome {
  status: WriteStatus;
  bytes: number | null;
  rejectedHunks: number[];
  revised: boolean;
  error: ErrorInfo | null;
}

/** Where the session stands, as far as the window tells it apart (W2). */
export type WriteStage =
  | { kind: 'content'; content: Content }
  | { kind: 'correcting'; round: number; places: number }
  | { kind: 'proposed'; proposal: WriteProposal }
  /** Approved, on its way to the disk. */
  | { kind: 'saving'; proposal: WriteProposal }
  | { kind: 'done'; outcome: WriteOutcome; proposal: WriteProposal | null; undone: UndoState };

/** Whether what was written can be undone (W7), as far as is known. */
export type UndoState =
  { kind: 'possible' } | { kind: 'impossible' } | { kind: 'undone' } | { kind: 'refused'; error: ErrorInfo };

const POSSIBLE: UndoState = { kind: 'possible' };
const IMPOSSIBLE: UndoState = { kind: 'impossible' };
const UNDONE: UndoState = { kind: 'undone' };

export interface WriteSession {
  write: number;
  callId: string;
  path: string;
  operation: WriteOperation;
  intent: string;
  stage: WriteStage;
}

export type WriteItem = ItemOf<'write'>;

type WriteEvent = Extract<TurnEvent, { write: number; type: `write_${string}` }>;

export function applyWrite(turn: Turn, seq: number, event: Exclude<WriteEvent, { type: 'write_progress' }>): Turn {
  switch (event.type) {
    case 'write_started': {
      const { write, toolCallId: callId, path, operation, intent } = event;
      return {
        ...turn,
        items: insert(turn.items, {
          kind: 'write',
          seq,
          write,
          callId,
          path,
          operation,
          intent,
          stage: { kind: 'content', content: NO_CONTENT },
        }),
      };
    }
    case 'write_faults':
      return restage(turn, event.write, () => ({
        kind: 'correcting',
        round: event.round,
        places: event.faults.length + event.more,
      }));
    case 'write_ready':
      return restage(turn, event.write, () => ({ kind: 'proposed', proposal: event.proposal }));
    case 'write_done': {
      const { status, bytes, rejectedHunks, revised, error } = event;
      const outcome = { status, bytes, rejectedHunks, revised, error };
      return restage(turn, event.write, (stage) => ({
        kind: 'done',
        outcome,
        proposal: proposalOf(stage),
        undone: status === 'written' ? POSSIBLE : IMPOSSIBLE,
      }));
    }
  }
}

/** Content as it arrives. `undefined` when it came before something that must be placed first. */
export function offerContent(
  turn: Turn,
  envelope: Envelope,
  event: Extract<TurnEvent, { type: 'write_progress' }>,
): Turn | undefined {
  if (envelope.seq > turn.seq) return undefined;
  return restage(turn, event.write, (stage) => withContent(stage, (content) => progressed(content, event)));
}

/** The person has approved the proposal with this digest, if there is one. */
export function approved(turn: Turn, digest: string): Turn {
  const open = openWrite(turn);
  if (open?.stage.kind !== 'proposed' || open.stage.proposal.digest !== digest) return turn;
  const { proposal } = open.stage;
  return restage(turn, open.write, () => ({ kind: 'saving', proposal }));
}

/** A turn that is over has no open session. */
export function abandoned(turn: Turn): Turn {
  const open = openWrite(turn);
  if (!open) return turn;
  const outcome: WriteOutcome = { status: 'discarded', bytes: null, rejectedHunks: [], revised: false, error: null };
  return restage(turn, open.write, (stage) => ({
    kind: 'done',
    outcome,
    proposal: proposalOf(stage),
    undone: IMPOSSIBLE,
  }));
}

/** Facts that no event carries: the end of the content, for a window that opened late or lost some of it, and whether it can be undone. */
export function viewed(turn: Turn, view: WriteView): Turn {
  return restage(turn, view.write, (stage) => {
    if (stage.kind === 'done') return resolved(stage, undoState(stage.undone, view));
    return view.tail === '' ? stage : withContent(stage, (content) => mended(content, view.tail, view.tailOffset));
  });
}

function undoState(known: UndoState, { state, undone, undoable }: WriteView): UndoState {
  if (undone) return UNDONE;
  // An answer that is older than the end of the write, or than its undo, says nothing new.
  if (known.kind === 'undone' || state !== 'done') return known;
  if (undoable) return POSSIBLE;
  return known.kind === 'refused' ? known : IMPOSSIBLE;
}

export function takenBack(turn: Turn, { write, error }: Pick<Undone, 'write' | 'error'>): Turn {
  // What a command changed is no write.
  if (write === null) return turn;
  return restage(turn, write, (stage) =>
    stage.kind === 'done' ? resolved(stage, error ? { kind: 'refused', error } : UNDONE) : stage,
  );
}

/** A rewind has taken the write back, or its undoing has brought it again (A10). */
export function rewound(turn: Turn, write: number, undone: boolean): Turn {
  return restage(turn, write, (stage) => (stage.kind === 'done' ? resolved(stage, undone ? UNDONE : POSSIBLE) : stage));
}

/** Exactly these writes of the turn are undone, as the core says. */
export function withUndone(turn: Turn, undone: readonly number[]): Turn {
  return writesOf(turn).reduce((next, { write, stage }) => {
    const isUndone = undone.includes(write);
    const known = stage.kind === 'done' && stage.undone.kind === 'undone';
    return isUndone === known ? next : rewound(next, write, isUndone);
  }, turn);
}

function resolved(stage: Extract<WriteStage, { kind: 'done' }>, undone: UndoState): WriteStage {
  return stage.undone === undone ? stage : { ...stage, undone };
}

export function writesOf(turn: Turn): WriteItem[] {
  return turn.items.filter((item) => item.kind === 'write');
}

/** The session that is not over; a turn has one at most. */
export function openWrite(turn: Turn): WriteItem | null {
  const latest = turn.items.findLast((item) => item.kind === 'write');
  return latest && latest.stage.kind !== 'done' ? latest : null;
}

/** The session whose proposal a person is asked about (A3). */
export function askedWrite(turn: Turn): (WriteItem & { stage: { kind: 'proposed' } }) | null {
  const open = openWrite(turn);
  if (open?.stage.kind !== 'proposed' || turn.pending?.digest !== open.stage.proposal.digest) return null;
  return { ...open, stage: open.stage };
}

/** What repeats itself in the content of a session, while a person is to choose what becomes of it (P11). */
export function repeatsIn(turn: Pick<Turn, 'pending'>, { write }: Pick<WriteSession, 'write'>): Asks<'repeats'> | null {
  const asked = asks(turn, 'repeats');
  return asked?.write === write ? asked : null;
}

export function proposalOf(stage: WriteStage): WriteProposal | null {
  return 'proposal' in stage ? stage.proposal : null;
}

/** What has come of the content, as long as there is no proposal. */
export function contentOf(stage: WriteStage): Content | null {
  return stage.kind === 'content' ? stage.content : null;
}

function withContent(stage: WriteStage, next: (content: Content) => Content): WriteStage {
  const content = contentOf(stage);
  if (!content) return stage;
  const changed = next(content);
  return changed === content ? stage : { kind: 'content', content: changed };
}

function restage(turn: Turn, write: number, next: (stage: WriteStage) => WriteStage): Turn {
  const at = turn.items.findLastIndex((item) => item.kind === 'write' && item.write === write);
  const item = turn.items[at];
  if (item?.kind !== 'write') return turn;
  const stage = next(item.stage);
  return stage === item.stage ? turn : { ...turn, items: turn.items.with(at, { ...item, stage }) };
}
