// An excerpt with what was found in it: the core counts bytes of UTF-8, and the window shows pieces of a text. Pure.

import type { ByteRange } from '$lib/generated/ByteRange';
import { plain } from './plain';

export interface Piece {
  text: string;
  marked: boolean;
}

/** Strong text and code of Markdown: in a sentence their marks are in the way. Stars of a pattern of paths stay. */
const MARKUP = /(?<![/*])\*\*(?![/*])|`+/g;

/** The pieces of a text in their order. Ranges that make no sense mark nothing; what hides is told by its number. */
export function piecesOf(text: string, marks: readonly ByteRange[], markdown = false): Piece[] {
  const bytes = new TextEncoder().encode(text);
  const decoder = new TextDecoder();
  const pieces: Piece[] = [];
  let done = 0;
  const push = (to: number, marked: boolean) => {
    const all = plain(decoder.decode(bytes.subarray(done, to)));
    const part = markdown ? all.replace(MARKUP, '') : all;
    if (part !== '') pieces.push({ text: part, marked });
    done = to;
  };
  for (const { from, to } of marks) {
    if (from < done || to <= from || to > bytes.length) continue;
    push(from, false);
    push(to, true);
  }
  push(bytes.length, false);
  return pieces;
}
