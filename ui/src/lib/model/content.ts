// The end of a file that streams in (W2, W6): what the live pane shows. However long the file grows, this stays within 64 KiB
// and an append costs the same. Pieces come with their place, so what came twice changes nothing; after a gap the pane goes
// on from what is known to come now, until the core is asked for the rest.

import { afterBytes, utf8Length } from './utf8';

/** A stretch of lines that does not change any more, or the last one, which does. */
export interface Piece {
  /** Grows from piece to piece. */
  id: number;
  /** The line it begins in, from 1; 0 when that is not known. */
  line: number;
  /** True when it continues the line of the piece before it. */
  goesOn: boolean;
  text: string;
}

export interface Content {
  /** Bytes of content so far. */
  bytes: number;
  /** Null while it is unknown: after a restart, until more arrives. */
  lines: number | null;
  sealed: readonly Piece[];
  last: Piece;
  /** Bytes before `last` were lost on their way. */
  gap: boolean;
}

export interface Progress {
  offset: number;
  text: string;
  lines: number;
  bytes: number;
}

/** UTF-16 units after which a piece is closed. */
const PIECE = 4_096;
/** UTF-16 units that are kept; in UTF-8 that is at least as many bytes. */
const KEPT = 64 * 1_024;

const FIRST: Piece = { id: 0, line: 1, goesOn: false, text: '' };
export const NO_CONTENT: Content = { bytes: 0, lines: 0, sealed: [], last: FIRST, gap: false };

export function progressed(content: Content, { offset, text, lines, bytes }: Progress): Content {
  if (bytes <= content.bytes) return content;
  if (offset > content.bytes) {
    const line = Math.max(lines - newlines(text) - (text.endsWith('\n') ? 0 : 1) + 1, 1);
    return {
      ...append({ ...NO_CONTENT, last: { id: content.last.id + 1, line, goesOn: false, text: '' } }, text),
      bytes,
      lines,
      gap: true,
    };
  }
  return { ...append(content, afterBytes(text, content.bytes - offset)), bytes, lines };
}

/** Replaces the content by its end as the core has it. Pieces that came since then are kept. */
export function mended(content: Content, tail: string, tailOffset: number): Content {
  const end = tailOffset + utf8Length(tail);
  const mine = shownText(content);
  const begin = content.bytes - utf8Length(mine);
  if (end < begin || (content.bytes > 0 && !content.gap)) return content;
  const text = tail + afterBytes(mine, end - begin);
  const lines = content.lines ?? (tailOffset === 0 ? lineCount(text) : null);
  const known =
    content.lines !== null && content.bytes >= end ? content.lines : tailOffset === 0 ? lineCount(text) : lines;
  const line = tailOffset === 0 ? 1 : known === null ? 0 : Math.max(known - lineCount(text) + 1, 1);
  return {
    ...append({ ...NO_CONTENT, last: { id: content.last.id + 1, line, goesOn: false, text: '' } }, text),
    bytes: Math.max(content.bytes, end),
    lines: known,
    gap: false,
  };
}

export function shownText({ sealed, last }: Content): string {
  return sealed.map((piece) => piece.text).join('') + last.text;
}

function append(content: Content, added: string): Content {
  let { sealed, last } = content;
  let text = last.text + added;
  if (text.length > PIECE) {
    const cut = cutOf(text);
    const piece = { ...last, text: text.slice(0, cut) };
    const line = last.line === 0 ? 0 : last.line + newlines(piece.text);
    sealed = within([...sealed, piece], KEPT - PIECE);
    text = text.slice(cut);
    last = { id: piece.id + 1, line, goesOn: !piece.text.endsWith('\n'), text };
  } else last = { ...last, text };
  return { ...content, sealed, last };
}

/** Behind the last whole line, or, within a line without an end, behind all there is: what arrives is whole characters. */
function cutOf(text: string): number {
  const lineEnd = text.lastIndexOf('\n') + 1;
  return text.length - lineEnd <= PIECE ? lineEnd : text.length;
}

/** The latest pieces that fit; of one that is too long by itself, its end. */
function within(pieces: readonly Piece[], most: number): readonly Piece[] {
  let kept = 0;
  const from = pieces.findLastIndex((piece) => (kept += piece.text.length) > most);
  if (from === -1) return pieces;
  if (from < pieces.length - 1) return pieces.slice(from + 1);
  const long = pieces[from] as Piece;
  let at = long.text.length - most;
  if ((long.text.charCodeAt(at) & 0xfc00) === 0xdc00) at += 1;
  const lineEnd = long.text.indexOf('\n', at) + 1;
  const goesOn = lineEnd === 0 || lineEnd === long.text.length;
  if (!goesOn) at = lineEnd;
  const line = long.line === 0 ? 0 : long.line + newlines(long.text.slice(0, at));
  return [{ id: long.id, line, goesOn, text: long.text.slice(at) }];
}

export function newlines(text: string): number {
  let found = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) found += 1;
  return found;
}

/** Lines that have begun. */
function lineCount(text: string): number {
  return newlines(text) + (text === '' || text.endsWith('\n') ? 0 : 1);
}
