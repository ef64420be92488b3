// Going back to before a message.

import { count } from '$lib/model/words';

export const rewind = {
  title: 'Rewind to this message',
  lookAgain: 'Look again',
  conversation: 'Conversation',
  leaves: (turns: number) =>
    turns === 0
      ? 'The conversation goes back to before this message. Your message comes back into the message box.'
      : `${count(turns, 'turn')} from this message on ${turns === 1 ? 'leaves' : 'leave'} the conversation and ${turns === 1 ? 'stays' : 'stay'} as a branch. Your message comes back into the message box.`,
  files: 'Files',
  filesBack: 'What Orion has written since then is undone.',
  noFilesBack: 'None of the files that Orion has written since then can be restored.',
  noFiles: 'Orion has written no files since then.',
  go: 'Rewind',
  loading: 'Looking at the files',
};

export const rewound = {
  conversationWent: 'You went back to an earlier message.',
  conversationIsBack: 'The conversation is back.',
  filesPutBack: (files: number) => `${count(files, 'file')} put back.`,
  filesAsBefore: (files: number) => `${count(files, 'file')} as before the rewind.`,
  filesKept: (files: number) => `${count(files, 'file')} kept as ${files === 1 ? 'it is' : 'they are'}.`,
  undone: 'The rewind is undone.',
  nothing: 'Nothing had to change.',
  which: 'Which files',
  whichAndWhy: 'Which files, and why',
};

export const rewoundFiles = {
  label: 'Files',
  will: { restored: 'restore', created: 'create again', removed: 'remove', kept: 'keep' },
  did: { restored: 'restored', created: 'created again', removed: 'removed', kept: 'kept' },
};
