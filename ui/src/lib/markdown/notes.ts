// The footnotes of an answer: what their marks are numbered, and what they say. A mark has its number as soon as it comes; one that no note belongs
// to in the end is text as it was written.

import { getContext, setContext } from 'svelte';
import type { Token, Tokens } from 'marked';
import type { MarkToken, NoteToken } from './dialect';

export interface Note {
  label: string;
  /** Counted from 1, in the order of the marks; those that have none come last. */
  number: number;
  /** A mark leads to it. */
  marked: boolean;
  tokens: readonly Token[];
}

export interface Notes {
  /** By their numbers. */
  all: readonly Note[];
  /** The number of a mark. Null when no note belongs to it, and none can come. */
  numberOf(label: string): number | null;
  /** What a mark leads to is there. */
  has(label: string): boolean;
}

/** Marks and notes that an answer may have; further ones are text. */
const MOST = 500;

/** Folds the blocks of an answer, each of them once. */
export class Footnotes {
  #marks = new Set<string>();
  #said: NoteToken[] = [];
  #last: Notes | null = null;
  #lastKey = '';

  /** A block that is finished. */
  take(token: Token): void {
    collect(token, this.#marks, this.#said);
  }

  /** With the blocks that still grow. The same object as long as nothing of it changes. */
  read(open: readonly Token[], ended: boolean): Notes {
    let [marks, said] = [this.#marks, this.#said];
    if (open.some(({ raw }) => raw.includes('[^'))) {
      [marks, said] = [new Set(marks), [...said]];
      for (const token of open) collect(token, marks, said);
    }
    const key = `${ended} ${marks.size} ${said.length} ${said === this.#said ? '' : said.at(-1)?.raw}`;
    if (!this.#last || key !== this.#lastKey) this.#last = numbered(marks, said, ended);
    this.#lastKey = key;
    return this.#last;
  }
}

function numbered(marks: ReadonlySet<string>, said: readonly NoteToken[], ended: boolean): Notes {
  const labels = new Set(said.map(({ label }) => label));
  const order = [...marks].filter((label) => !ended || labels.has(label));
  const numbers = new Map(order.map((label, index) => [label, index + 1]));
  const met = new Set<string>();
  const marked: Note[] = [];
  const others: Note[] = [];
  for (const { label, tokens } of said) {
    const number = numbers.get(label);
    if (number !== undefined && !met.has(label)) marked.push({ label, number, marked: true, tokens });
    else others.push({ label, number: 0, marked: false, tokens });
    met.add(label);
  }
  marked.sort((a, b) => a.number - b.number);
  const all = [...marked, ...others.map((note, index) => ({ ...note, number: order.length + index + 1 }))];
  return {
    all,
    numberOf: (label) => numbers.get(label) ?? null,
    has: (label) => numbers.has(label) && labels.has(label),
  };
}

function collect(token: Token, marks: Set<string>, said: NoteToken[]): void {
  if (!token.raw.includes('[^')) return;
  if (token.type === 'mark' && marks.size < MOST) marks.add((token as unknown as MarkToken).label);
  if (token.type === 'note' && said.length < MOST) said.push(token as unknown as NoteToken);
  const within: (readonly Token[])[] = [
    (token as Tokens.Generic).tokens ?? [],
    (token as Tokens.List).items ?? [],
    ...cells(token).map((cell) => cell.tokens),
  ];
  for (const each of within.flat()) collect(each, marks, said);
}

function cells(token: Token): Tokens.TableCell[] {
  if (token.type !== 'table') return [];
  const { header, rows } = token as Tokens.Table;
  return [header, ...rows].flat();
}

/** What a mark does where it is shown. */
export interface Marks {
  notes(): Notes;
  /** To the note. */
  follow(label: string, from: HTMLElement): void;
}

const KEY = Symbol('notes');

export const provideMarks = (marks: Marks): Marks => setContext(KEY, marks);
export const useMarks = (): Marks | undefined => getContext<Marks | undefined>(KEY);
