// The preview of a write, and the editor in its place.

import { count } from '$lib/model/words';

export const editor = {
  wouldBeWritten: 'The file that would be written.',
  withoutRejected: (changes: number) =>
    `The file that would be written, without the ${changes === 1 ? 'change' : count(changes, 'change')} you rejected.`,
  use: 'Use this text',
  over: 'This write is over. Your text is not in the file; you can still copy it.',
  text: 'Text of the file',
  dropTitle: 'Drop your changes?',
  dropText: 'The proposal itself does not change.',
  dropLast: 'They are not saved anywhere else.',
  drop: 'Drop them',
};

export const previewPane = {
  compareAgain: 'Compare again',
  showAgain: 'Show it again',
  loading: 'Loading the difference…',
  none: 'There is no difference to show.',
};
