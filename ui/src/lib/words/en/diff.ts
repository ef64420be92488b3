// The difference that a write would make, and the decision about it.

import { bytes, count, number } from '$lib/model/words';

export const diff = {
  label: 'Difference',
  file: (path: string) => `File ${path}`,
  correctionRepeats: 'The correction only repeats itself. The content it was meant to correct is kept.',
  correcting: 'The model is asked to correct what is wrong. The preview opens when that is done.',
  showAgain: 'Show it again',
  compareAgain: 'Compare again',
  tooLong: 'This difference is too long for two columns.',
  unchanged: (lines: number) => count(lines, 'unchanged line'),
  sideBySide: 'Side by side',
  large: 'Show large',
  belowChat: 'Show below the conversation',
  hide: 'Hide the difference',
  contentSoFar: 'Content so far',
  linesBefore: (lines: number) => `${count(lines, 'line')} before this`,
  moreCharacters: (characters: number) => count(characters, 'more character'),
  showMore: (shown: number, characters: number) =>
    shown < characters
      ? `Show ${number(shown)} of ${count(characters, 'more character')}`
      : `Show ${count(characters, 'more character')}`,
  noLineEnd: 'no line end',
};

export const changeBar = {
  label: 'Changes',
  previous: 'Previous change',
  next: 'Next change',
  withKeys: (what: string, keys: string) => `${what} (${keys})`,
  where: (change: number, changes: number) => `Change ${number(change)} of ${number(changes)}`,
  place: (change: number, changes: number) => `${number(change)}/${number(changes)}`,
  rejected: (changes: number) => `, ${count(changes, 'change')} rejected`,
  acceptAll: 'Accept all',
  rejectAll: 'Reject all',
  edit: 'Edit',
};

export const hunk = {
  label: (change: number, changes: number, isRejected: boolean) =>
    `Change ${change} of ${changes}${isRejected ? ', rejected' : ''}`,
  name: (change: number) => `Change ${change}`,
  lines: (first: number, last: number) =>
    first === last ? `line ${number(first)}` : `lines ${number(first)}–${number(last)}`,
  rejected: 'rejected',
  accept: (change: number) => `Accept change ${change}`,
  acceptKeys: (keys: string) => `Accept (${keys})`,
  reject: (change: number) => `Reject change ${change}`,
  rejectKeys: (keys: string) => `Reject (${keys})`,
};

export const findings = {
  label: 'Before you approve',
  changedOnDisk: 'The file changed on disk.',
  withBefore: 'The difference below is against the file before that change.',
  withNow: 'The difference below is against the file as it is now on disk.',
  replaced: (size: number) => `This replaces a binary file of ${bytes(size)}, which cannot be shown.`,
  leadsTo: (path: string) => `This is a link. The file that is written is ${path}.`,
  alwaysAsked: (why: string) => `Orion always asks about ${why}.`,
  afterCorrections: (stillWrong: string) => `${stillWrong} after the corrections.`,
  placesStillWrong: (places: number) => `${count(places, 'place')} still wrong`,
  stillWrong: 'Still wrong',
  goTo: (line: number, column: number) => `Go to line ${line}, column ${column}`,
  morePlaces: (places: number) => `and ${count(places, 'more place')}`,
  line: (line: number) => `line ${line}`,
  remove: 'Remove',
  removeWhat: (what: string) => `Remove: ${what}`,
  unseen: (lines: number) =>
    lines === 1 ? '1 changed line is not shown whole.' : `${number(lines)} changed lines are not shown whole.`,
  openFirst: (lines: number) => `Open ${lines === 1 ? 'it to its' : 'them to their'} end before you approve.`,
  openNext: 'Show more',
};

/** What is said of a proposal and of where its write stands. */
export const preview = {
  operations: { create: 'New file', overwrite: 'Whole file', append: 'At the end', edit: 'Edit' },
  seamSign: 'seam',
  /** The sign of what is behind the end of a line that is too long to be shown whole. */
  behindSign: { direction: 'direction', invisible: 'invisible', control: 'control', replacement: 'lost' },
  behind: {
    direction: 'In the rest of the line, which is not shown, a character changes the direction of the text.',
    invisible: 'In the rest of the line, which is not shown, there is an invisible character.',
    control: 'In the rest of the line, which is not shown, there is a control character.',
    replacement: 'In the rest of the line, which is not shown, a character was lost.',
  },
  signs: {
    direction: (what: string) =>
      `${what} changes the direction of the text, so the line may read differently from what it does.`,
    invisible: (what: string) => `${what} is an invisible character in the file.`,
    control: (what: string) => `${what} is a control character.`,
    replacement: (what: string) => `${what} replaces a character that was lost.`,
    seam: () => 'One message of the model ended here and the next one began. Check that they fit together.',
  },
  faults: {
    replacement: 'A character was lost',
    control: 'A control character',
    markup: 'Markup of a tool call',
    unencodable: 'A character that cannot be written in the encoding of the file',
    block_malformed: 'An incomplete edit',
    block_missing: 'An edit of text that is not in the file',
    block_ambiguous: 'An edit of text that is in the file more than once',
    block_overlaps: 'Two edits of the same text',
    incomplete: 'The model did not finish the file',
    reasoning: 'Thoughts of the model',
    placeholder: 'A line that stands for others',
    patch: 'A patch instead of the content',
    line_numbers: 'Numbers of lines',
    second_file: 'A second file',
    fence: 'A code fence or a remark within the file',
    repeated: 'Text that comes twice',
    empty: 'Nothing instead of a text',
    shrinks: 'Most of the file goes',
  },
  removals: {
    reasoning: 'Thoughts of the model',
    preamble: 'Text before the file',
    fence: 'A code fence around the file',
    postamble: 'Text after the file',
    end_line: 'A line like the end line',
    characters: 'Invalid characters',
  },
  mixedLineEnds: 'mixed line ends',
  lineEnds: (ends: string) => `${ends} line ends`,
  seams: (messages: number, repeatedBytes: number) =>
    `The model sent this in ${count(messages, 'message')}${repeatedBytes > 0 ? `; ${bytes(repeatedBytes)} that it repeated were left out` : ''}. The ${messages === 2 ? 'seam is' : 'seams are'} marked.`,
  emptyFile: 'This makes an empty file.',
  emptied: 'The file would be emptied.',
  noChange: 'The file would not change.',
  notBegun: 'not begun',
  notFinished: 'not finished',
  waitingForContent: 'waiting for the content',
  lines: (lines: number) => count(lines, 'line'),
  toCorrect: (places: number) => `${count(places, 'place')} to correct`,
  round: (round: number) => `round ${number(round)}`,
  sameInARow: (times: number) => `the same ${count(times, 'time')} in a row`,
  notWrittenYet: 'not written yet',
  saving: 'saving',
  undone: 'undone',
  written: 'written',
  changesOf: (written: number, all: number) => `${number(written)} of ${count(all, 'change')}`,
  withYourChanges: 'with your changes',
  rejected: 'rejected',
  discarded: 'not finished',
  nothingWritten: 'nothing written',
  failed: 'not written',
  unknown: 'may have been written',
  changeSpoken: (added: number, removed: number) => `${count(added, 'line')} added, ${number(removed)} removed`,
  announced: (path: string, changes: number, change: string, wrong: number, isAnew: boolean) =>
    `${isAnew ? 'The file changed on disk. ' : ''}Preview of ${path}: ${count(changes, 'change')}, ${change}${wrong > 0 ? `, ${count(wrong, 'place')} still wrong` : ''}.`,
  writeAnyway: 'Write anyway',
  /** Behind what the button says. */
  shrinks: (removed: number, of: number) => `removes ${number(removed)} of ${count(of, 'line')}`,
  unseen: (lines: number) => `${count(lines, 'line')} unseen`,
  approve: 'Approve',
  approvePart: (accepted: number, changes: number) => `Approve ${number(accepted)} of ${number(changes)}`,
  approveAnew: 'Approve the new difference',
};
