// What left the conversation, and what stands in its place, as sentences for a person (X3, X4).

import { words } from '$lib/words';
import type { Compacted, ContextCut } from './item';

export function cutWords({ cause, results, messages, tokensBefore, tokensAfter, room, pins }: ContextCut): string {
  if (cause === 'changed') return words.context.toolsChanged;
  if (cause === 'person' && results + messages === 0) return words.context.pinsChanged(pins);
  if (results + messages === 0) return words.context.firstTurnsLeft;
  const share = (tokens: number) => Math.round((100 * tokens) / Math.max(1, room));
  return words.context.cut(cause, results, messages, share(tokensBefore), share(tokensAfter));
}

export function compactedWords({ turns, tokensBefore, tokensAfter }: Compacted): string {
  return words.context.compacted(turns, tokensBefore, tokensAfter);
}
