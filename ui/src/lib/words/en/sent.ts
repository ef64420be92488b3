// What a model call was sent.

import { bytes, count, number } from '$lib/model/words';

export const sent = {
  title: 'What was sent',
  call: (call: number, calls: number) => `Call ${number(call)} of ${number(calls)}`,
  facts: (model: string, messages: number, size: number, tools: number, toolsSize: number) =>
    `${model} · ${count(messages, 'message')} · ${bytes(size)} · ${tools === 0 ? 'no tools' : `${count(tools, 'tool')}, ${bytes(toolsSize)}`}`,
  json: 'JSON',
  before: 'Previous call',
  after: 'Next call',
  allSentBefore: 'All of it had been sent before.',
  firstSentBefore: (messages: number) => `Its first ${count(messages, 'message')} had been sent before.`,
  showNew: 'Show only what is new',
  showAll: 'Show all of it',
  loading: 'Looking up what was sent',
  body: 'The body of the request',
  bodyWhat: (size: number) =>
    `The body of the request, ${bytes(size)}. The key is sent in a header, so it is not shown here.`,
};

export const sentMessage = {
  byOrion: 'user, written by Orion',
  isNew: 'new',
  rest: 'The rest of it is not shown here.',
  call: (id: string) => `call ${id}`,
};
