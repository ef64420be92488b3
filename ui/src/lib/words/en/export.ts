// Writing a session or a turn to a file.

import { bytes, count } from '$lib/model/words';

export const exporting = {
  titles: { session: 'Export this session', turn: 'Export this turn' },
  formatLabel: 'What the file is for',
  formats: {
    orion: { label: 'For another Orion', hint: 'Everything that is needed to show it there and to replay it.' },
    markdown: { label: 'Markdown', hint: 'The conversation, to be read or put into a document.' },
    html: { label: 'Web page', hint: 'The same as one file for any browser. Nothing in it is loaded from elsewhere.' },
  },
  files: 'With the contents of written files',
  filesWhat:
    'Without them, the file has only their names, sizes and checksums. What the model read and wrote is part of the conversation either way.',
  keys: 'Orion takes out all keys that it knows.',
  saved: (size: number) => (path: string) => `Saved as ${path}, ${bytes(size)}.`,
  redacted: (turns: number) =>
    `Keys were taken out of ${count(turns, 'turn')}, so ${turns === 1 ? 'it' : 'they'} cannot be replayed from the file.`,
  keyNotRead: (name: string) => `The key of ${name} could not be read, so the file may still hold it.`,
  save: 'Save as…',
};
