// The text that inline tokens show: marks of Markdown are no part of it, and escapes and references are the characters that they stand for. Not here: the
// elements (Inline.svelte), which show the same.

import type { Token } from 'marked';
import { decodeEntities } from './entities';

/** The depth to which tokens are read. Deeper ones are shown as they were written. */
export const MAX_DEPTH = 12;

const LINE_BREAK = /^<br\s*\/?>$/i;

/** The text of a token on its own. */
export function ownText(token: Token): string {
  return 'text' in token && typeof token.text === 'string' ? token.text : token.raw;
}

/** True for HTML that is shown as the end of a line. */
export const breaksLine = (token: Token): boolean => token.type === 'html' && LINE_BREAK.test(token.raw.trim());

/** All text of these tokens, as a reader sees it. */
export function seenText(tokens: readonly Token[], depth = 0): string {
  return tokens.map((token) => seen(token, depth)).join('');
}

function seen(token: Token, depth: number): string {
  if (depth > MAX_DEPTH) return token.raw;
  if (token.type === 'br' || breaksLine(token)) return '\n';
  if (token.type === 'html' || token.type === 'mark') return token.raw;
  if (token.type === 'codespan' || token.type === 'escape' || token.type === 'image') return ownText(token);
  // A formula can spell a name out, too.
  if (token.type === 'math') return token.raw.replaceAll(/\\[a-z]+|[\\{}$\s]/gi, '');
  if ('tokens' in token && token.tokens) return seenText(token.tokens, depth + 1);
  return decodeEntities(ownText(token));
}
