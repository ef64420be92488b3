// The same message sent by both routes.

import { bytes, count } from '$lib/model/words';

export const routes = {
  title: 'Compare the routes',
  startOver: 'Start over',
  what: 'Your message is sent once more by each route, one after the other, each time in a session of its own. This session stays as it is.',
  where: 'Where they work',
  readOnly: 'Read only',
  readOnlyWhat: 'Both work in this folder. No tool that changes anything is offered.',
  copies: 'In a copy of the folder for each',
  copiesWhat: 'With all tools.',
  copySize: (files: number, size: number, leftOut: number) => `${count(files, 'file')}, ${bytes(size)} each, without what ignore files hide${leftOut === 0 ? '' : ` and ${count(leftOut, 'link')} or the like`}.`,
  looking: 'Looking at the folder',
  state: 'State',
  answerOf: (route: string) => `Answer of ${route}`,
  noAnswer: 'No answer yet.',
  copyGone: 'It worked in a copy, which is gone.',
  worksIn: (folder: string) => `It works in ${folder}`,
  open: 'Open its session',
  again: 'Compare again',
};
