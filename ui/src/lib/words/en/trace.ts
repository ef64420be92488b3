// What a turn did, as a timeline and as a list, and the details of one part of it.

import { bytes, count, number } from '$lib/model/words';

/** Of a text of which only the beginning is shown. */
const notShown = (characters: number) => `${count(characters, 'more character')} not shown here. Copy has all of it.`;

export const trace = {
  title: 'Trace',
  titleOf: (message: string) => `Trace: ${message}`,
  empty: 'The steps of a turn appear here while it runs: model calls, tools and writes, and how long each took.',
  latestTurn: 'Latest turn',
  loadAgain: 'Load again',
  how: 'How it is shown',
  timeline: 'Timeline',
  list: 'List',
  scale: 'Scale',
  byStep: 'By step',
  byTime: 'By time',
  wholeWindow: 'Show the trace over the whole window',
  spent: 'Where the time went',
};

export const timeline = {
  label: 'Timeline. Up and down go through it, plus and minus zoom, 0 shows all of it. The list has the same in words.',
  rows: 'Tool calls and writes',
  fit: 'Fit',
  closer: 'Zoom in',
  more: 'Zoom out',
  model: 'Model',
  waiting: 'Waiting for you',
  notRunAgain: 'not run again',
  unchanged: 'unchanged',
};

export const traceList = {
  label: 'What the turn did',
  search: 'Search the trace',
  onlyProblems: 'Only problems',
  anyKind: 'Any kind',
  anyPhase: 'Any phase',
  anyTool: 'Any tool',
  anyStatus: 'Any status',
  entries: (shown: number, all: number) =>
    shown === all ? count(all, 'entry', 'entries') : `${count(shown, 'entry', 'entries')} of ${number(all)}`,
  nothing: 'Nothing matches.',
};

export const inspector = {
  label: 'Details',
  labelOf: (title: string) => `Details of ${title}`,
  close: 'Close the details',
  gave: 'Result',
  json: 'JSON',
  jsonLabel: 'JSON of the span',
  jsonRest: 'The rest of it is copied, and not shown here.',
  span: (span: number) => (request: string) => `Span ${span} of request ${request}`,
};

export const inspectedCall = {
  sent: (messages: number, size: number) => `Sent: ${count(messages, 'message')}, ${bytes(size)}`,
  all: 'All of it, and JSON',
  differs: (message: number, isFirstCall: boolean, same: number, size: number) =>
    `Message ${number(message)} is not the one ${isFirstCall ? 'that the session gave it' : 'of the call before'}, so a provider's cache holds only up to there: ${count(same, 'message')}, ${bytes(size)}. Before, it was:`,
  begins: (isFirstCall: boolean, same: number, size: number) =>
    `It begins with ${isFirstCall ? '' : 'all '}${count(same, 'message')} ${isFirstCall ? 'that the session gave it' : 'of the call before'}, ${bytes(size)}.`,
  otherTools: "Other tools are on offer than in the call before, so a provider's cache may not hold.",
  added: 'What this call added',
  more: (messages: number) => `${count(messages, 'more message')}: see all of it.`,
  askedTo: 'How it was asked to answer',
  tools: 'Tools on offer',
  noTools: 'None: this call had no tools.',
  loading: 'Looking up what was sent',
};

export const rawResponse = {
  title: 'What came back',
  size: (size: number) => `${bytes(size)}, with failed tries. Keys are shown as stars.`,
  copy: 'Copy what came back',
  /** In the copied text. */
  gap: (size: number) => `[${bytes(size)} left out]`,
  leftOut: (size: number) => `${bytes(size)} left out here.`,
  end: 'The end of what came back',
  notShown,
  none: (setting: string) =>
    `Nothing was kept. Orion keeps what came back for a while when a call fails, and for every call with ${setting} in the settings.`,
  setting: 'Keep every raw response',
  loading: 'Looking it up',
};

export const inspectedTool = {
  arguments: 'Arguments',
  given: 'What the model was given',
  notShown,
  empty: 'The result is empty.',
};

export const inspectedWrite = {
  noDifference: 'There is no difference to show yet.',
};
