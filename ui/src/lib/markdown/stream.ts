// Markdown that grows. Text becomes blocks line by line; a finished block is never parsed again, and the open one has a
// bounded size, so a frame costs O(open block) however long the answer is. What is finished depends on whole lines
// alone, never on where a provider cut its stream (T5). Not here: rendering, and HTML, which is only ever text.

import type { Token, Tokens } from 'marked';
import remend from 'remend';
import { dialect } from './dialect';
import { Footnotes, type Notes } from './notes';

export interface Block {
  id: number;
  token: Token;
}

/** A fenced block that has not ended yet: its text in sealed pieces and a growing last one. */
export interface OpenCode {
  lang: string;
  sealed: readonly string[];
  last: string;
}

export type Open = { kind: 'none' } | { kind: 'tokens'; tokens: Token[] } | ({ kind: 'code' } & OpenCode);

export interface Reading {
  /** Finished blocks in groups; a full group keeps its identity for ever. */
  groups: readonly (readonly Block[])[];
  open: Open;
  notes: Notes;
}

/** Characters the open block may have before it is split: lexing them takes well under a millisecond. */
const MAX_OPEN = 6_000;
/** Characters taken from the input at a time. */
const SLICE = 16_384;
/** Characters after which a piece of open code is sealed. */
const PIECE = 2_048;
const GROUP = 24;

const FENCE = /^((?:[ \t]*\n)*)( {0,3})(`{3,}|~{3,})([^\n`]*)\n/;

interface Fence {
  marker: string;
  lang: string;
  indent: number;
  /** Begun inside another block that was split: its end may be indented. */
  carried: boolean;
  /** The beginning of the line that is read now was taken already: it was too long to wait for its end. */
  midLine: boolean;
  sealed: readonly string[];
  last: string;
}

export class BlockStream {
  /** Characters given to the lexer to decide what is finished, for tests. */
  lexed = 0;
  #seen = 0;
  #tail = '';
  #linesLooked = 0;
  #fence: Fence | null = null;
  #groups: Block[][] = [[]];
  #blocks = 0;
  #ended = false;
  #notes = new Footnotes();

  /** Takes what is new in `text`, which only ever grows. */
  read(text: string, done: boolean): Reading {
    if (this.#ended && text.length > this.#seen) this.#restart();
    for (let at = this.#seen; at < text.length; at += SLICE) this.#take(text.slice(at, at + SLICE));
    this.#seen = Math.max(this.#seen, text.length);
    if (done && !this.#ended) this.#finishAll();
    const open = this.#openBlock();
    return {
      groups: this.#groups.slice(),
      open: withoutNotes(open),
      notes: this.#notes.read(open.kind === 'tokens' ? open.tokens : [], this.#ended),
    };
  }

  /** Text came after the end: a gap was filled. Nothing is known to be finished any more. */
  #restart(): void {
    this.#ended = false;
    this.#seen = 0;
    this.#tail = '';
    this.#linesLooked = 0;
    this.#fence = null;
    this.#groups = [[]];
    this.#blocks = 0;
    this.#notes = new Footnotes();
  }

  #take(part: string): void {
    this.#tail += part.replaceAll('\r', '');
    for (;;) {
      const before = this.#tail.length;
      if (this.#fence) this.#readFence(this.#fence);
      else this.#readBlocks();
      if (this.#tail.length === before) return;
    }
  }

  #readFence(fence: Fence): void {
    let at = 0;
    for (let end = this.#tail.indexOf('\n', at); end !== -1; end = this.#tail.indexOf('\n', at)) {
      const line = this.#tail.slice(at, end);
      at = end + 1;
      if (closes(line, fence)) {
        this.#fence = null;
        this.#pushCode(fence);
        break;
      }
      addLine(fence, line);
    }
    this.#tail = this.#tail.slice(at);
    if (this.#fence && this.#tail.length > PIECE) this.#readPart(fence);
  }

  /** Takes what has come of a long line, so that it is not scanned again with every further piece. */
  #readPart(fence: Fence): void {
    const end = wholeCharacters(this.#tail, this.#tail.length);
    addCode(fence, fence.midLine ? this.#tail.slice(0, end) : unindented(this.#tail.slice(0, end), fence));
    fence.midLine = true;
    this.#tail = this.#tail.slice(end);
  }

  #readBlocks(): void {
    const lines = this.#tail.lastIndexOf('\n') + 1;
    if (lines > this.#linesLooked) {
      this.#linesLooked = lines;
      if (this.#openFence()) return;
      const tokens = this.#lex(this.#tail.slice(0, lines));
      const last = tokens.findLastIndex((token) => token.type !== 'space');
      if (last > 0) this.#finish(tokens.slice(0, last));
      if (this.#openFence()) return;
    }
    if (this.#tail.length > MAX_OPEN) this.#split();
  }

  #openFence(): boolean {
    const match = FENCE.exec(this.#tail);
    if (!match) return false;
    const [whole, , indent = '', marker = '', info = ''] = match;
    this.#fence = {
      marker,
      lang: info.trim().split(/\s/)[0] ?? '',
      indent: indent.length,
      carried: false,
      midLine: false,
      sealed: [],
      last: '',
    };
    this.#cut(whole.length);
    return true;
  }

  /** Ends the open block early where that shows least: between list items or table rows, else at a line or a word. */
  #split(): void {
    const tokens = this.#lex(this.#tail);
    const token = tokens.findLast((other) => other.type !== 'space');
    if (token?.type === 'list' && (token as Tokens.List).items.length > 1) {
      const list = token as Tokens.List;
      const items = list.items.slice(0, -1);
      this.#finish([
        ...tokens.slice(0, tokens.indexOf(token)),
        { ...list, items, raw: items.map((item) => item.raw).join('') },
      ]);
      return;
    }
    const newline = this.#tail.lastIndexOf('\n') + 1;
    const cut = newline || this.#tail.lastIndexOf(' ') + 1 || wholeCharacters(this.#tail, MAX_OPEN);
    const head = this.#tail.slice(0, cut);
    const header = token?.type === 'table' && newline ? head.trimStart().split('\n', 2).join('\n') + '\n' : '';
    const carried = unclosedFence(head);
    this.#finish(this.#lex(head), cut);
    if (carried) this.#fence = carried;
    else this.#tail = header + this.#tail;
  }

  #finishAll(): void {
    this.#ended = true;
    if (this.#fence) {
      const fence = this.#fence;
      this.#fence = null;
      if (!closes(this.#tail, fence)) addLine(fence, this.#tail);
      this.#pushCode(fence);
    } else this.#finish(this.#lex(this.#tail));
    this.#tail = '';
  }

  #finish(tokens: readonly Token[], length = tokens.reduce((sum, token) => sum + token.raw.length, 0)): void {
    for (const token of tokens) if (token.type !== 'space') this.#push(token);
    this.#cut(length);
  }

  #cut(length: number): void {
    this.#tail = this.#tail.slice(length);
    this.#linesLooked = 0;
  }

  #pushCode({ lang, sealed, last }: Fence): void {
    const text = (sealed.join('') + last).replace(/\n$/, '');
    this.#push({ type: 'code', raw: text, lang, text });
  }

  #push(token: Token): void {
    this.#notes.take(token);
    if (token.type === 'note') return;
    const group = this.#groups.at(-1) ?? [];
    const block = { id: this.#blocks++, token: token.type === 'code' ? plainCode(token as Tokens.Code) : token };
    if (group.length < GROUP) this.#groups[this.#groups.length - 1] = [...group, block];
    else this.#groups.push([block]);
  }

  #lex(text: string): Token[] {
    this.lexed += text.length;
    return lexSafely(text);
  }

  #openBlock(): Open {
    if (this.#fence) {
      const { lang, sealed, last } = this.#fence;
      return { kind: 'code', lang, sealed, last: last + this.#tail };
    }
    if (this.#tail.trim() === '') return { kind: 'none' };
    return { kind: 'tokens', tokens: lexSafely(completed(this.#tail)) };
  }
}

/** What a footnote says stands at the end of the answer. */
function withoutNotes(open: Open): Open {
  if (open.kind !== 'tokens' || !open.tokens.some((token) => token.type === 'note')) return open;
  return { kind: 'tokens', tokens: open.tokens.filter((token) => token.type !== 'note') };
}

/** The open block as if it ended here: half a table is a table, half a link is its text. */
function completed(tail: string): string {
  const table = /^\s*(\|[^\n]*)(?:\n[|:\- \t]*)?$/.exec(tail);
  if (!table) return remend(tail, { linkMode: 'text-only', katex: false });
  const header = (table[1] ?? '').trim().replace(/([^|])$/, '$1|');
  return `${header}\n${'|---'.repeat(Math.max(header.split('|').length - 2, 1))}|`;
}

/** A code block looks the same whether the lexer found it or the fence was read here. */
function plainCode({ text, lang }: Tokens.Code): Tokens.Code {
  return { type: 'code', raw: text, lang: lang?.trim().split(/\s/)[0] ?? '', text };
}

/** A line of this many quotes and bullets says nothing and costs the lexer dear. */
const NESTED = /^(?:[ \t]*(?:>|[-*+][ \t]|\d{1,9}[.)][ \t])){20}/m;

/** Hostile nesting is shown as it is. */
function lexSafely(text: string): Token[] {
  try {
    if (!NESTED.test(text)) return dialect.lexer(text);
  } catch {
    // The lexer's stack ran out.
  }
  return [{ type: 'paragraph', raw: text, text, tokens: [{ type: 'text', raw: text, text }] }];
}

/** A line that is longer than a piece closes nothing, so that it need not be kept to its end. */
function closes(line: string, fence: Fence): boolean {
  if (fence.midLine || line.length > PIECE) return false;
  const text = line.trim();
  const indent = line.length - line.trimStart().length;
  const marker = fence.marker[0] ?? '`';
  return (fence.carried || indent < 4) && text.length >= fence.marker.length && text.replaceAll(marker, '') === '';
}

function addLine(fence: Fence, line: string): void {
  addCode(fence, `${fence.midLine ? line : unindented(line, fence)}\n`);
  fence.midLine = false;
}

function unindented(line: string, fence: Fence): string {
  return line.slice(Math.min(fence.indent, line.length - line.trimStart().length));
}

function addCode(fence: Fence, code: string): void {
  fence.last += code;
  if (fence.last.length < PIECE) return;
  fence.sealed = [...fence.sealed, fence.last];
  fence.last = '';
}

/** The fence that text leaves open inside a list or a quote. */
function unclosedFence(text: string): Fence | null {
  let open: Fence | null = null;
  for (const line of text.split('\n')) {
    const match = /^([\s>]*(?:[-*+]\s+|\d+[.)]\s+)?)(`{3,}|~{3,})([^`]*)$/.exec(line);
    if (open) open = closes(line, open) ? null : open;
    else if (match) {
      const [, lead = '', marker = '', info = ''] = match;
      open = {
        marker,
        lang: info.trim(),
        indent: Math.min(lead.length, PIECE),
        carried: true,
        midLine: false,
        sealed: [],
        last: '',
      };
    }
  }
  return open;
}

/** `at`, or one less where it would cut a surrogate pair. */
function wholeCharacters(text: string, at: number): number {
  return (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 ? at - 1 : at;
}
