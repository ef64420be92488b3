// A file of the project that is looked at: its lines, asked for in pages as they come into view. Not here: how it looks (ui/viewer).

import { SvelteMap } from 'svelte/reactivity';
import { asErrorInfo } from '$lib/backend/backend';
import type { ErrorInfo } from '$lib/generated/ErrorInfo';
import type { FileView } from '$lib/generated/FileView';
import type { PictureView } from '$lib/generated/PictureView';
import { highlight, type Span } from '$lib/markdown/highlight';

/** Lines of a page: few enough that most are coloured in one go. */
const PAGE = 200;
/** The most pages that are kept. */
const MAX_PAGES = 50;
/** What one question gives at most. Source: the limit that `Query::FileLines` documents. */
const MOST_ASKED = 2_000;
/** Lines on both sides of one that is brought into view, more than a screen of them. */
const AROUND = 100;

export interface ViewedLine {
  text: string;
  /** Null until it is coloured, and for a file that is not. */
  colours: readonly Span[] | null;
}

export class Viewed {
  /** Lines of the file; null until the first page is there. */
  total: number | null = $state(null);
  bytes = $state(0);
  failure: ErrorInfo | null = $state.raw(null);
  /** The file is one, and no text. */
  picture: PictureView | null = $state.raw(null);
  #pages = new SvelteMap<number, readonly ViewedLine[]>();
  #asked = new Map<number, Promise<void>>();

  /** `line`: the one to show, counted from 1. `load`: lines from one on. `look`: the file as a picture. */
  constructor(
    readonly path: string,
    readonly line: number | null,
    private readonly load: (from: number, count: number) => Promise<FileView>,
    private readonly look: () => Promise<PictureView>,
  ) {
    this.want((line ?? 1) - 1);
  }

  /** Null until it is there. A view that shows it calls `want`. */
  at(index: number): ViewedLine | null {
    return this.#pages.get(this.#pageOf(index))?.[index % PAGE] ?? null;
  }

  want(index: number): void {
    void this.#load(this.#pageOf(index));
  }

  /** The lines around one are there, or cannot come; `failure` then says why. */
  async around(index: number): Promise<void> {
    await Promise.all(
      [index - AROUND, index, index + AROUND].map((each) =>
        this.#load(this.#pageOf(Math.min(Math.max(each, 0), (this.total ?? 1) - 1))),
      ),
    );
  }

  /** All lines, many at a time. They are not kept. Rejects with an `ErrorInfo`. */
  async *texts(): AsyncGenerator<{ first: number; texts: readonly string[] }> {
    for (let first = 0; first < (this.total ?? 0); first += MOST_ASKED)
      yield { first, texts: (await this.load(first + 1, MOST_ASKED)).lines };
  }

  retry(): void {
    this.failure = null;
    this.#asked.clear();
    this.want((this.line ?? 1) - 1);
  }

  #pageOf(index: number): number {
    return Math.floor(index / PAGE);
  }

  #load(page: number): Promise<void> {
    const asked = this.#asked.get(page) ?? this.#fetch(page);
    this.#asked.set(page, asked);
    return asked;
  }

  async #fetch(page: number): Promise<void> {
    try {
      const { lines, total, bytes } = await this.load(page * PAGE + 1, PAGE);
      this.total = total;
      this.bytes = bytes;
      this.#keep(
        page,
        lines.map((text) => ({ text, colours: null })),
      );
      void this.#colour(page, lines);
    } catch (thrown) {
      const failure = asErrorInfo(thrown);
      // Where it is no picture either, the first failure says what it is.
      if (failure.code === 'file_binary') this.picture = await this.look().catch(() => null);
      if (!this.picture) this.failure = failure;
    }
  }

  async #colour(page: number, lines: readonly string[]): Promise<void> {
    // Without colours the lines are still all there.
    const spans = await highlight(lines.join('\n'), /\.([^./]+)$/.exec(this.path)?.[1] ?? '').catch(() => null);
    if (spans && this.#pages.has(page))
      this.#pages.set(
        page,
        lines.map((text, index) => ({ text, colours: spans[index] ?? null })),
      );
  }

  #keep(page: number, lines: readonly ViewedLine[]): void {
    this.#pages.set(page, lines);
    const oldest = this.#pages.keys().next().value;
    if (this.#pages.size <= MAX_PAGES || oldest === undefined) return;
    this.#pages.delete(oldest);
    this.#asked.delete(oldest);
  }
}
