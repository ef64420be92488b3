// The same message sent by both routes.

import { bytes, count } from '$lib/model/words';

export const routes = {
  title: 'Compare the routes',
  startOver: 'Start over',
  what: 'Your message is sent once more by each route, one after the other, each time in a session of its own. This session stays as it is.',
  where: 'Where they work',
  readOnly: 'Read only',
  readOnlyWhat: 'Both work in this folder, with tools that change nothing.',
  copies: 'Each in a copy of the folder',
  copiesWhat: 'With all tools.',
  copySize: (files: number, size: number, leftOut: number) =>
    `${count(files, 'file')}, ${bytes(size)} each, without ignored files${leftOut === 0 ? '' : ` and ${count(leftOut, 'link or special file', 'links or special files')}`}.`,
  looking: 'Looking at the folder',
  state: 'State',
  answerOf: (route: string) => `Answer of ${route}`,
  noAnswer: 'No answer yet.',
  copyGone: 'It worked in a copy, which has been removed.',
  worksIn: (folder: string) => `It works in ${folder}`,
  open: 'Open its session',
  again: 'Compare again',
};
