// The attachments of a message.

import { bytes, count, number } from '$lib/model/words';

export const attachments = {
  add: 'Add files',
  drop: 'Drop files to add them to your message',
  list: 'Files you added',
  adding: 'adding…',
  remove: (name: string) => `Remove ${name}`,
  putIn: 'Put it into the message',
  lines: (lines: number) => count(lines, 'line'),
  size: (size: number) => bytes(size),
  come: (files: number, coming: number) =>
    coming > 0 ? `Adding ${count(coming, 'file')}` : files > 0 ? `${count(files, 'file')} added to the message` : '',
  ask: (files: number) => (files === 1 ? 'Write what to do with it' : 'Write what to do with them'),
  queues: (files: number) => `Enter queues it with ${files === 1 ? 'its file' : 'its files'}`,
  count: (files: number) => count(files, 'file'),
  again: (files: number) =>
    `${files === 1 ? 'The file you added comes' : `The ${number(files)} files you added come`} with it again.`,
  cameWith: (names: string) => `Came with it: ${names}`,
  loading: 'Loading the image…',
  open: (name: string) => `Show ${name} large`,
  pastedText: 'Pasted text.txt',
  tooLarge: (name: string) => `“${name}” is too large: an image may have 7 MB, a text 1 MB.`,
  tooLargeAction: "Make it smaller, or put it into the project's folder.",
  unreadable: (name: string) => `“${name}” could not be read.`,
  unreadableAction: 'See whether it is still there, then add it again.',
  isFolder: (name: string) => `“${name}” is a folder.`,
  openFolder: 'Add its files, or open it as a project.',
  tooMany: (most: number, left: number) =>
    `A message can bring ${number(most)} files. ${count(left, 'file was', 'files were')} left out.`,
  tooManyAction: 'Take some out, or send two messages.',
};
