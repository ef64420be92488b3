// The difference that a write would make, and the decision about it.

import { bytes, count, number } from '$lib/model/words';

export const diff = {
  label: 'Difference',
  file: (path: string) => `File ${path}`,
  empty: 'When the model writes a file, you can watch it here. Then you see what would change, and decide.',
  correctionRepeats: 'The correction only repeats itself. The content that it is to correct is kept.',
  correcting: 'The model is asked to correct what is wrong. The preview opens when that is done.',
  showAgain: 'Show it again',
  compareAgain: 'Compare again',
  tooLong: 'This difference is too long for two columns.',
  unchanged: (lines: number) => count(lines, 'unchanged line'),
  sideBySide: 'Side by side',
  besideChat: 'Show beside the chat',
  insteadOfChat: 'Show instead of the chat',
  contentSoFar: 'Content so far',
  linesBefore: (lines: number) => `${count(lines, 'line')} before this`,
  moreCharacters: (characters: number) => count(characters, 'more character'),
  noLineEnd: 'no line end',
};

export const changeBar = {
  label: 'Changes',
  previous: 'Previous change',
  next: 'Next change',
  withKeys: (what: string, keys: string) => `${what} (${keys})`,
  where: (change: number, changes: number) => `Change ${number(change)} of ${number(changes)}`,
  rejected: (changes: number) => `, ${count(changes, 'change')} rejected`,
  acceptAll: 'Accept all',
  rejectAll: 'Reject all',
  edit: 'Edit',
};

export const hunk = {
  label: (change: number, changes: number, isRejected: boolean) => `Change ${change} of ${changes}${isRejected ? ', rejected' : ''}`,
  name: (change: number) => `Change ${change}`,
  lines: (first: number, last: number) => `lines ${number(first)}–${number(last)}`,
  rejected: 'rejected',
  accept: (change: number) => `Accept change ${change}`,
  acceptKeys: (keys: string) => `Accept (${keys})`,
  reject: (change: number) => `Reject change ${change}`,
  rejectKeys: (keys: string) => `Reject (${keys})`,
};

export const findings = {
  label: 'Before you approve',
  changedOnDisk: 'The file changed on disk.',
  withBefore: 'The difference below is with the file before that change.',
  withNow: 'The difference below is with the file as it is now on disk.',
  replaced: (size: number) => `This replaces a binary file of ${bytes(size)}, which cannot be shown.`,
  leadsTo: (path: string) => `This is a link. The file that is written is ${path}.`,
  alwaysAsked: (why: string) => `Always asked: ${why}.`,
  afterCorrections: (stillWrong: string) => `${stillWrong} after the corrections.`,
  placesStillWrong: (places: number) => `${count(places, 'place')} still wrong`,
  stillWrong: 'Still wrong',
  goTo: (line: number, column: number) => `Go to line ${line}, column ${column}`,
  morePlaces: (places: number) => `and ${count(places, 'more place')}`,
  line: (line: number) => `line ${line}`,
  remove: 'Remove',
  removeWhat: (what: string) => `Remove: ${what}`,
};
