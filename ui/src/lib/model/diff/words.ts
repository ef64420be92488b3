// The words of a preview: for hidden characters, faults, suggested removals, and how a write ended.

import type { FaultKind } from '$lib/generated/FaultKind';
import type { RemovalKind } from '$lib/generated/RemovalKind';
import type { WriteOperation } from '$lib/generated/WriteOperation';
import type { WriteProposal } from '$lib/generated/WriteProposal';
import type { Tone } from '../status';
import { bytes, count } from '../words';
import type { WriteOutcome, WriteSession } from '../write';
import type { Bit } from './bits';

export const OPERATIONS: Record<WriteOperation, string> = { create: 'New file', overwrite: 'Whole file', append: 'At the end', edit: 'Edit' };

/** The text that is shown instead of hidden characters: the first of them by its number, and how many there are. */
export function signLabel({ text, sign }: Bit): string {
  if (sign === 'seam') return 'seam';
  if (text === '' && sign !== null) return BEHIND[sign];
  const points = Array.from(text);
  const code = (points[0]?.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return points.length > 1 ? `U+${code} ×${points.length}` : `U+${code}`;
}

/** The same of what is behind the end of a line that is too long to be shown whole. */
const BEHIND: Record<Exclude<Bit['sign'], null | 'seam'>, string> = { direction: 'direction', invisible: 'invisible', control: 'control', replacement: 'lost' };

const BEHIND_MEANING: Record<keyof typeof BEHIND, string> = {
  direction: 'In the rest of the line, which is not shown, a character changes the direction of the text.',
  invisible: 'In the rest of the line, which is not shown, there is an invisible character.',
  control: 'In the rest of the line, which is not shown, there is a control character.',
  replacement: 'In the rest of the line, which is not shown, a character was lost.',
};

const SIGNS: Record<NonNullable<Bit['sign']>, (what: string) => string> = {
  direction: (what) => `${what} changes the direction of the text, so the line may read differently from what it does.`,
  invisible: (what) => `${what} is an invisible character in the file.`,
  control: (what) => `${what} is a control character.`,
  replacement: (what) => `${what} replaces a character that was lost.`,
  seam: () => "One message of the model ended here and the next one began. Check that they fit together.",
};

export function signMeaning(bit: Bit): string {
  if (bit.sign === null) return '';
  if (bit.text === '' && bit.sign !== 'seam') return BEHIND_MEANING[bit.sign];
  return SIGNS[bit.sign](signLabel(bit));
}

export const FAULTS: Record<FaultKind, string> = {
  replacement: 'A character was lost',
  control: 'A control character',
  markup: 'Markup of a tool call',
  unencodable: 'A character that the encoding of the file does not have',
  block_malformed: 'An incomplete edit',
  block_missing: 'An edit of text that is not in the file',
  block_ambiguous: 'An edit of text that is in the file more than once',
  block_overlaps: 'Two edits of the same text',
  incomplete: 'The model did not finish the file',
};

/** How many places are wrong, those beyond the list included. */
export function placesWrong({ faults, moreFaults }: WriteProposal): string {
  return count(faults.length + moreFaults, 'place');
}

export const REMOVALS: Record<RemovalKind, string> = {
  preamble: 'Text before the file',
  fence: 'A fence around the file',
  postamble: 'Text after the file',
  characters: 'Invalid characters',
};

/** Encoding and line ends, where they are not the plain ones. */
export function formatWords({ encoding, lineEnds }: Pick<WriteProposal, 'encoding' | 'lineEnds'>): string {
  const parts = [...(encoding === 'UTF-8' ? [] : [encoding]), ...(lineEnds === 'LF' || lineEnds === 'none' ? [] : [lineEnds === 'mixed' ? 'mixed line ends' : `${lineEnds} line ends`])];
  return parts.join(', ');
}

export function seamWords({ seams }: WriteProposal): string {
  const dropped = seams.reduce((sum, seam) => sum + seam.dropped, 0);
  const repeated = dropped > 0 ? `; ${bytes(dropped)} that it repeated were left out` : '';
  return `The model sent this in ${count(seams.length + 1, 'message')}${repeated}. The ${seams.length === 1 ? 'seam is' : 'seams are'} marked.`;
}

/** What a proposal does when there are no lines to show. */
export function nothingShown({ baseSha256, bytes: size }: Pick<WriteProposal, 'baseSha256' | 'bytes'>): string {
  if (baseSha256 === null) return 'This makes an empty file.';
  return size === 0 ? 'The file would be emptied.' : 'The file would not change.';
}

export interface WriteWords {
  tone: Tone;
  /** The first says most. */
  facts: string[];
}

/** One line on where a session stands. `over`: its turn ended, or its process did. */
export function stageWords({ stage }: Pick<WriteSession, 'stage'>, over: boolean): WriteWords {
  switch (stage.kind) {
    case 'content': {
      const { lines, bytes: size } = stage.content;
      const soFar = [...(lines === null ? [] : [count(lines, 'line')]), bytes(size)];
      if (over) return { tone: 'calm', facts: size === 0 ? ['not begun'] : ['not finished', ...soFar] };
      return { tone: 'write', facts: size === 0 ? ['waiting for the content'] : soFar };
    }
    case 'correcting':
      return { tone: over ? 'calm' : 'write', facts: [`${count(stage.places, 'place')} to correct`, `round ${stage.round}`] };
    case 'repeats':
      return { tone: over ? 'calm' : 'waiting', facts: [`the same ${count(stage.asked.times, 'time')} in a row`] };
    case 'proposed':
      return { tone: 'waiting', facts: ['not written yet', changeWords(stage.proposal)] };
    case 'saving':
      return { tone: 'write', facts: ['saving'] };
    case 'done':
      return stage.undone.kind === 'undone' ? { tone: 'calm', facts: ['undone'] } : outcomeWords(stage.outcome, stage.proposal);
  }
}

function outcomeWords({ status, bytes: size, rejectedHunks, revised }: WriteOutcome, proposal: WriteProposal | null): WriteWords {
  switch (status) {
    case 'written': {
      const part = proposal && rejectedHunks.length > 0 ? [`${proposal.hunks - rejectedHunks.length} of ${count(proposal.hunks, 'change')}`] : [];
      return { tone: 'write', facts: ['written', ...part, bytes(size ?? 0), ...(revised ? ['with your changes'] : [])] };
    }
    case 'rejected':
      return { tone: 'calm', facts: ['rejected, nothing written'] };
    case 'discarded':
      return { tone: 'calm', facts: ['not finished, nothing written'] };
    case 'failed':
      return { tone: 'problem', facts: ['not written'] };
    case 'unknown':
      return { tone: 'problem', facts: ['may be written'] };
  }
}

/** The same for the line of the file in the chat: what was written whole, with its lines. */
export function boxWords(item: Pick<WriteSession, 'stage'>, over: boolean): WriteWords {
  const { tone, facts } = stageWords(item, over);
  const { stage } = item;
  const whole = stage.kind === 'done' && stage.outcome.status === 'written' && stage.undone.kind !== 'undone' && stage.outcome.rejectedHunks.length === 0;
  return { tone, facts: whole && stage.proposal ? ['written', changeWords(stage.proposal), ...facts.slice(1)] : facts };
}

/** `+12 −4`, in a form that is read out as well. */
export function changeWords({ added, removed }: Pick<WriteProposal, 'added' | 'removed'>): string {
  return `+${added.toLocaleString('en')} −${removed.toLocaleString('en')}`;
}

export function changeSpoken({ added, removed }: Pick<WriteProposal, 'added' | 'removed'>): string {
  return `${count(added, 'line')} added, ${removed.toLocaleString('en')} removed`;
}
