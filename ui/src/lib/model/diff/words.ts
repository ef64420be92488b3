// The words of a preview: for hidden characters, faults, suggested removals, and how a write ended.

import type { FaultKind } from '$lib/generated/FaultKind';
import type { RemovalKind } from '$lib/generated/RemovalKind';
import type { WriteFault } from '$lib/generated/WriteFault';
import type { WriteOperation } from '$lib/generated/WriteOperation';
import type { WriteProposal } from '$lib/generated/WriteProposal';
import { words } from '$lib/words';
import type { Tone } from '../status';
import type { Turn } from '../turn';
import { bytes } from '../words';
import { repeatsIn, type WriteItem, type WriteOutcome } from '../write';
import type { Bit } from './bits';

export const OPERATIONS: Record<WriteOperation, string> = words.preview.operations;

/** The text that is shown instead of hidden characters: the first of them by its number, and how many there are. */
export function signLabel({ text, sign }: Bit): string {
  if (sign === 'seam') return words.preview.seamSign;
  if (text === '' && sign !== null) return words.preview.behindSign[sign];
  const points = Array.from(text);
  const code = (points[0]?.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return points.length > 1 ? `U+${code} ×${points.length}` : `U+${code}`;
}

export function signMeaning(bit: Bit): string {
  if (bit.sign === null) return '';
  if (bit.text === '' && bit.sign !== 'seam') return words.preview.behind[bit.sign];
  return words.preview.signs[bit.sign](signLabel(bit));
}

export const FAULTS: Record<FaultKind, string> = words.preview.faults;

export const REMOVALS: Record<RemovalKind, string> = words.preview.removals;

/** Encoding and line ends, where they are not the plain ones. */
export function formatWords({ encoding, lineEnds }: Pick<WriteProposal, 'encoding' | 'lineEnds'>): string {
  const parts = [
    ...(encoding === 'UTF-8' ? [] : [encoding]),
    ...(lineEnds === 'LF' || lineEnds === 'none'
      ? []
      : [lineEnds === 'mixed' ? words.preview.mixedLineEnds : words.preview.lineEnds(lineEnds)]),
  ];
  return parts.join(', ');
}

export function seamWords({ seams }: WriteProposal): string {
  const dropped = seams.reduce((sum, seam) => sum + seam.dropped, 0);
  return words.preview.seams(seams.length + 1, dropped);
}

/** An overwrite that removes most of a file: said by itself, and not among the places that are wrong. */
const isShrinking = ({ kind }: WriteFault): boolean => kind === 'shrinks';

/** The faults that are a place in the content. */
export const faultyPlaces = ({ faults }: Pick<WriteProposal, 'faults'>): WriteFault[] =>
  faults.filter((fault) => !isShrinking(fault));

/** How many places are still wrong. */
export function placesWrong(proposal: Pick<WriteProposal, 'faults' | 'moreFaults'>): number {
  const listed = faultyPlaces(proposal).length;
  return listed + (proposal.faults.length > 0 ? proposal.moreFaults : 0);
}

/** `removes 116 of 117 lines`, where that is most of the file; else null. */
export function shrinksWords({
  faults,
  removed,
  oldLines,
}: Pick<WriteProposal, 'faults' | 'removed' | 'oldLines'>): string | null {
  return faults.some(isShrinking) ? words.preview.shrinks(removed, oldLines) : null;
}

/** What the button that approves says. Whatever is not as it should be, the person says by pressing it. */
export function approvalWords(
  proposal: WriteProposal,
  { rejected, unseen }: { rejected: number; unseen: number },
): string {
  const say = words.preview;
  const { cause, hunks } = proposal;
  const shrinks = shrinksWords(proposal);
  const more = [...(shrinks === null ? [] : [shrinks]), ...(unseen > 0 ? [say.unseen(unseen)] : [])];
  if (placesWrong(proposal) > 0) return [say.writeAnyway, ...more].join(', ');
  if (rejected > 0) return [say.approvePart(hunks - rejected, hunks), ...more].join(', ');
  if (more.length > 0) return [say.approve, ...more].join(', ');
  return cause === 'file_changed' ? say.approveAnew : say.approve;
}

/** What a proposal does when there are no lines to show. */
export function nothingShown({ baseSha256, bytes: size }: Pick<WriteProposal, 'baseSha256' | 'bytes'>): string {
  if (baseSha256 === null) return words.preview.emptyFile;
  return size === 0 ? words.preview.emptied : words.preview.noChange;
}

export interface WriteWords {
  tone: Tone;
  /** The first says most. */
  facts: string[];
}

/** One line on where a session of a turn stands. */
export function stageWords(turn: Turn, item: WriteItem): WriteWords {
  const { stage } = item;
  // The turn ended, or its process did.
  const over = turn.end !== null || turn.interrupted;
  const repeats = repeatsIn(turn, item);
  if (repeats) return { tone: over ? 'calm' : 'waiting', facts: [words.preview.sameInARow(repeats.times)] };
  switch (stage.kind) {
    case 'content': {
      const { lines, bytes: size } = stage.content;
      const soFar = [...(lines === null ? [] : [words.preview.lines(lines)]), bytes(size)];
      if (over)
        return { tone: 'calm', facts: size === 0 ? [words.preview.notBegun] : [words.preview.notFinished, ...soFar] };
      return { tone: 'write', facts: size === 0 ? [words.preview.waitingForContent] : soFar };
    }
    case 'correcting':
      return {
        tone: over ? 'calm' : 'write',
        facts: [words.preview.toCorrect(stage.places), words.preview.round(stage.round)],
      };
    case 'proposed':
      return { tone: 'waiting', facts: [words.preview.notWrittenYet, changeWords(stage.proposal)] };
    case 'saving':
      return { tone: 'write', facts: [words.preview.saving] };
    case 'done':
      return stage.undone.kind === 'undone'
        ? { tone: 'calm', facts: [words.preview.undone] }
        : outcomeWords(stage.outcome, stage.proposal);
  }
}

function outcomeWords(
  { status, bytes: size, rejectedHunks, revised }: WriteOutcome,
  proposal: WriteProposal | null,
): WriteWords {
  switch (status) {
    case 'written': {
      const part =
        proposal && rejectedHunks.length > 0
          ? [words.preview.changesOf(proposal.hunks - rejectedHunks.length, proposal.hunks)]
          : [];
      return {
        tone: 'write',
        facts: [words.preview.written, ...part, bytes(size ?? 0), ...(revised ? [words.preview.withYourChanges] : [])],
      };
    }
    case 'rejected':
      return { tone: 'calm', facts: [words.preview.rejected, words.preview.nothingWritten] };
    case 'discarded':
      return { tone: 'calm', facts: [words.preview.discarded, words.preview.nothingWritten] };
    case 'failed':
      return { tone: 'problem', facts: [words.preview.failed] };
    case 'unknown':
      return { tone: 'problem', facts: [words.preview.unknown] };
  }
}

/** The same for the line of the file in the chat: what was written whole, with its lines. */
export function boxWords(turn: Turn, item: WriteItem): WriteWords {
  const { tone, facts } = stageWords(turn, item);
  const { stage } = item;
  const whole =
    stage.kind === 'done' &&
    stage.outcome.status === 'written' &&
    stage.undone.kind !== 'undone' &&
    stage.outcome.rejectedHunks.length === 0;
  return {
    tone,
    facts: whole && stage.proposal ? [words.preview.written, changeWords(stage.proposal), ...facts.slice(1)] : facts,
  };
}

/** `+12 −4`, in a form that is read out as well. */
export function changeWords({ added, removed }: Pick<WriteProposal, 'added' | 'removed'>): string {
  return `+${added.toLocaleString('en')} −${removed.toLocaleString('en')}`;
}

export function changeSpoken({ added, removed }: Pick<WriteProposal, 'added' | 'removed'>): string {
  return words.preview.changeSpoken(added, removed);
}
