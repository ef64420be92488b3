// The rows of one proposal, asked for in pages as they come into view, and their colours, which come later and never hold
// anything up.

import { SvelteMap } from 'svelte/reactivity';
import { asErrorInfo, ask, type Backend } from '$lib/backend/backend';
import type { ChangesOf } from '$lib/generated/ChangesOf';
import type { CutRow } from '$lib/generated/CutRow';
import type { DiffRow } from '$lib/generated/DiffRow';
import type { ErrorInfo } from '$lib/generated/ErrorInfo';
import type { RowRest } from '$lib/generated/RowRest';
import { highlight, type Span } from '$lib/markdown/highlight';

/** Rows in a page, a multiple of those that are coloured together; `Query::WriteRows` gives 5,000 at most. */
const PAGE = 512;
/** What one query gives at most. */
const MOST_ASKED = 5_000;
/** The most pages that are kept. The one that was looked at longest ago is dropped, and asked for again when it is needed. */
const MAX_PAGES = 128;
/** Rows that are coloured in one go: about a millisecond's work each. */
const COLOURED = 32;
const CHUNKS = PAGE / COLOURED;
/** Pause before rows that came into view are coloured, so that rows that fly past are not. */
const REST_MS = 80;
/** The most stretches that wait for colours: about two screens. One that was dropped is asked for again when it is in view. */
const MAX_QUEUED = 8;
/** Characters beyond which a line stays plain. */
const MAX_LINE = 500;

/** The difference of a write, with its changed rows whose line is cut; or of a file before the first of several and after the last. */
export type RowsOf = ({ requestId: string; write: number; cut?: readonly CutRow[] } | { changes: ChangesOf }) & {
  digest: string;
  path: string;
  total: number;
};

/** A row with a further stretch of its line. What stood at its end for all that was not shown gives way to what is shown now. */
export function longer(row: DiffRow, rest: RowRest): DiffRow {
  const end = row.text.length;
  const marks = row.marks.filter(({ from, to }) => from < to || from < end);
  return {
    ...row,
    text: row.text + rest.text,
    cut: rest.cut,
    marks: [...marks, ...rest.marks.map((mark) => ({ ...mark, from: mark.from + end, to: mark.to + end }))],
  };
}

export class Rows {
  failure: ErrorInfo | null = $state.raw(null);
  #pages = new SvelteMap<number, readonly DiffRow[]>();
  #asked = new Map<number, Promise<readonly DiffRow[]>>();
  #colours = new SvelteMap<number, readonly (Span[] | null)[]>();
  #colouring: number | null = null;
  #queue: readonly number[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #tries = $state(0);
  /** Rows with more of their line than the pages have, as far as it was asked for. They are few: a person opens each of them. */
  #longer = new SvelteMap<number, DiffRow>();
  #lang: string;

  constructor(
    private readonly backend: Backend,
    readonly of: RowsOf,
  ) {
    this.#lang = /\.([^./]+)$/.exec(of.path)?.[1] ?? '';
  }

  /** Null until it is there. A view that shows it calls `want`. */
  at(row: number): DiffRow | null {
    return this.#longer.get(row) ?? this.#pages.get(Math.floor(row / PAGE))?.[row % PAGE] ?? null;
  }

  coloursOf(row: number): Span[] | null {
    return this.#colours.get(Math.floor(row / COLOURED))?.[row % COLOURED] ?? null;
  }

  want(row: number): void {
    void this.#tries;
    const page = Math.floor(row / PAGE);
    if (this.#pages.has(page)) this.#colour(Math.floor(row / COLOURED));
    // `failure` says why it does not come.
    else this.#load(page).catch(() => {});
  }

  /** The rows from `from` to before `to`. Rejects when one of them is not available; `failure` then says why. */
  async all(from: number, to: number): Promise<DiffRow[]> {
    const first = Math.floor(from / PAGE);
    const pages = await Promise.all(
      Array.from({ length: Math.ceil(to / PAGE) - first }, (_, index) => this.#load(first + index)),
    );
    return pages.flat().slice(from - first * PAGE, to - first * PAGE);
  }

  /** The row with a line of the file as it would be, looked for from `row` on, where it is at the earliest; null past `end`. */
  async rowOfLine(line: number, row: number, end: number): Promise<number | null> {
    for (let at = row; at < end;) {
      // `failure` says why the row is not found.
      const page = await this.#load(Math.floor(at / PAGE)).catch(() => []);
      const found = page[at % PAGE];
      if (!found) return null;
      if (found.new === line) return at;
      // Each removed line between moves it by one; it never lies before.
      at += found.new === null ? 1 : Math.max(line - found.new, 1);
    }
    return null;
  }

  /** The changed rows of which there is more than a person could see so far. */
  get unseen(): readonly number[] {
    return 'cut' in this.of
      ? (this.of.cut ?? []).flatMap(({ row }) => (this.#longer.get(row)?.cut === 0 ? [] : [row]))
      : [];
  }

  /** Null where the rest of a line cannot be asked for. */
  get more(): ((row: number) => Promise<void>) | null {
    return 'write' in this.of ? (row) => this.#more(row) : null;
  }

  /** Brings a further stretch of the line of a row. */
  async #more(row: number): Promise<void> {
    const { of } = this;
    if (!('write' in of)) return;
    try {
      const loaded = this.at(row) ?? (await this.all(row, row + 1))[0];
      if (!loaded || loaded.cut === 0) return;
      const { rest } = await ask(this.backend, {
        type: 'row_rest',
        requestId: of.requestId,
        write: of.write,
        digest: of.digest,
        row,
        from: [...loaded.text].length,
      });
      // The same stretch may have been asked for twice.
      if ((this.#longer.get(row)?.text.length ?? 0) <= loaded.text.length) this.#longer.set(row, longer(loaded, rest));
    } catch (thrown) {
      this.failure = asErrorInfo(thrown);
    }
  }

  /** The texts of all rows, many at a time. They are not kept: there may be a million. */
  async *texts(): AsyncGenerator<{ first: number; texts: string[] }> {
    for (let first = 0; first < this.of.total; first += MOST_ASKED) {
      const rows = await this.#ask(first, MOST_ASKED);
      yield { first, texts: rows.map(({ text }) => text) };
    }
  }

  retry(): void {
    this.failure = null;
    this.#asked.clear();
    this.#tries += 1;
  }

  #load(page: number): Promise<readonly DiffRow[]> {
    const asked = this.#asked.get(page) ?? this.#fetch(page);
    this.#asked.set(page, asked);
    return asked;
  }

  async #ask(from: number, count: number): Promise<readonly DiffRow[]> {
    const { of } = this;
    const place = { digest: of.digest, from, count };
    const { rows } =
      'changes' in of
        ? await ask(this.backend, { type: 'change_rows', of: of.changes, path: of.path, ...place })
        : await ask(this.backend, { type: 'write_rows', requestId: of.requestId, write: of.write, ...place });
    return rows;
  }

  async #fetch(page: number): Promise<readonly DiffRow[]> {
    try {
      const rows = await this.#ask(page * PAGE, PAGE);
      this.#pages.set(page, rows);
      const oldest = this.#pages.keys().next().value;
      if (this.#pages.size > MAX_PAGES && oldest !== undefined) {
        this.#pages.delete(oldest);
        this.#asked.delete(oldest);
        for (let chunk = oldest * CHUNKS; chunk < (oldest + 1) * CHUNKS; chunk++) this.#colours.delete(chunk);
      }
      return rows;
    } catch (thrown) {
      this.failure = asErrorInfo(thrown);
      throw this.failure;
    }
  }

  #colour(chunk: number): void {
    if (this.#colours.has(chunk) || this.#colouring === chunk || this.#queue.includes(chunk)) return;
    this.#queue = [...this.#queue, chunk].slice(-MAX_QUEUED);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#next(), REST_MS);
  }

  /** What came into view last is coloured first; between two chunks the window draws. */
  async #next(): Promise<void> {
    const chunk = this.#queue.at(-1);
    if (chunk === undefined || this.#colouring !== null) return;
    this.#queue = this.#queue.slice(0, -1);
    this.#colouring = chunk;
    const rows = Array.from({ length: COLOURED }, (_, index) => this.at(chunk * COLOURED + index));
    const [old, now] = await Promise.all([this.#side(rows, 'removed'), this.#side(rows, 'added')]).catch(() => [
      null,
      null,
    ]);
    // Without colours the lines are still all there. Those of a page that was let go meanwhile come again with it.
    if (this.#pages.has(Math.floor(chunk / CHUNKS)))
      this.#colours.set(
        chunk,
        rows.map((row, index) => (row?.kind === 'removed' ? old : now)?.get(index) ?? null),
      );
    this.#colouring = null;
    clearTimeout(this.#timer);
    if (this.#queue.length > 0) this.#timer = setTimeout(() => void this.#next());
  }

  /** One side's lines are coloured together: the other side's would lead the grammar astray. */
  async #side(rows: (DiffRow | null)[], side: 'added' | 'removed'): Promise<Map<number, Span[]>> {
    const lines = rows.flatMap((row, index) =>
      row && (row.kind === side || row.kind === 'unchanged') ? [{ row, index }] : [],
    );
    const coloured = new Map<number, Span[]>();
    if (!lines.some(({ row }) => row.kind === side) && side === 'removed') return coloured;
    const spans = await highlight(
      lines.map(({ row }) => (row.text.length > MAX_LINE ? '' : row.text)).join('\n'),
      this.#lang,
    );
    for (const [at, { row, index }] of lines.entries()) {
      const line = spans?.[at];
      if (line && row.text.length <= MAX_LINE) coloured.set(index, line);
    }
    return coloured;
  }
}
