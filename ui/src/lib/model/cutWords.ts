// What left the conversation, and what stands in its place, as sentences for a person (X3, X4).

import type { Compacted, ContextCut } from './item';
import { count } from './words';

const WHY = {
  full: 'The conversation was getting too long',
  refused: 'The provider said that the conversation is too long',
  person: 'The conversation was changed by hand',
} as const;

export function cutWords({ cause, results, messages, tokensBefore, tokensAfter, room, pins }: ContextCut): string {
  if (cause === 'changed') return 'The conversation is sent anew from its beginning, because its tools changed.';
  if (cause === 'person' && results + messages === 0) return `The conversation was changed by hand: the pin of ${count(pins, 'message')} was set or taken off.`;
  if (results + messages === 0) return "The session is longer than the model's room: its first turns are not sent.";
  const left = [results > 0 ? count(results, 'tool result') : '', messages > 0 ? count(messages, 'message') : ''].filter((part) => part !== '').join(' and ');
  const share = (tokens: number) => `${Math.round((100 * tokens) / Math.max(1, room))} %`;
  return `${WHY[cause]}: ${left} left it. The model's room was ${share(tokensBefore)} full, and is ${share(tokensAfter)} full now.`;
}

export function compactedWords({ turns, tokensBefore, tokensAfter }: Compacted): string {
  const tokens = (number: number) => number.toLocaleString('en');
  return `${count(turns, 'turn')} summed up: about ${tokens(tokensBefore)} tokens became ${tokens(tokensAfter)}.`;
}
