// Where the conversation is scrolled to. It follows the end while the person is there; leaving is moving up, coming back is reaching
// the end. Elsewhere what they read stays where it is to the pixel, whatever comes or goes above it: not every web view does that by
// itself, so none is asked to (`overflow-anchor`).

import type { Attachment } from 'svelte/attachments';

/** Pixels from the end that still count as the end. */
const NEAR = 24;
/** Heights of the region from an end at which the next page is asked for: it is there before the person is. */
const AHEAD = 1;
/** How far around the region no turn is dropped, in heights of it: more than `AHEAD`, so that turns do not come and go for ever. */
const KEPT = 2;

export type End = 'first' | 'last';

export class Scrolling {
  atEnd = $state(true);
  /** There is something below what can be seen. */
  hidesEnd = $state(false);
  #region: HTMLElement | null = null;
  #content: HTMLElement | null = null;
  #top = 0;
  /** The first turn that can be seen, and how far below the region's top it begins. */
  #anchor: { turn: Element; offset: number } | null = null;
  /** The first turn that can be seen is marked: of all rails its alone may have to stay in view, and each that does costs every frame of a scroll. */
  #first: HTMLElement | null = null;

  constructor(
    /** False while the session has turns after the last one in memory. */
    private readonly endsHere: () => boolean = () => true,
    private readonly near: (end: End) => void = () => {},
  ) {}

  scroller: Attachment<HTMLElement> = (region) => {
    this.#region = region;
    const onScroll = () => {
      this.#measure(region);
      if (!this.hidesEnd && this.endsHere()) this.atEnd = true;
      else if (region.scrollTop < this.#top) this.atEnd = false;
      this.#top = region.scrollTop;
      this.hold();
      this.look();
    };
    region.addEventListener('scroll', onScroll, { passive: true });
    const resized = new ResizeObserver(this.keep);
    resized.observe(region);
    return () => {
      region.removeEventListener('scroll', onScroll);
      resized.disconnect();
      this.#region = null;
    };
  };

  /** Runs after layout and before paint, so that growth never shows as a jump. */
  content: Attachment<HTMLElement> = (content) => {
    this.#content = content;
    const resized = new ResizeObserver(this.keep);
    resized.observe(content);
    content.addEventListener('click', this.#onClick, { capture: true });
    return () => {
      resized.disconnect();
      content.removeEventListener('click', this.#onClick, { capture: true });
      this.#content = null;
    };
  };

  /** A person who opens a box wants to read it, so what grows then must not push it away. */
  #onClick = (event: MouseEvent): void => {
    if (event.target instanceof Element && event.target.closest('[aria-expanded], summary')) {
      this.atEnd = false;
      this.hold();
    }
  };

  jump = (): void => {
    this.atEnd = true;
    this.keep();
  };

  /** Remembers what is read now. To be called before turns come or go. */
  hold = (): void => {
    const region = this.#region;
    if (!region) return;
    const { top } = region.getBoundingClientRect();
    const turn = this.#markFirst(top);
    if (this.atEnd) return;
    this.#anchor = turn ? { turn, offset: turn.getBoundingClientRect().top - top } : null;
  };

  /** Brings what was read back to where it was; at the end, the end. */
  keep = (): void => {
    const region = this.#region;
    if (!region) return;
    if (this.atEnd && this.endsHere()) {
      region.scrollTop = region.scrollHeight;
      this.#markFirst(region.getBoundingClientRect().top);
    } else if (this.#anchor?.turn.isConnected) {
      const moved =
        this.#anchor.turn.getBoundingClientRect().top - region.getBoundingClientRect().top - this.#anchor.offset;
      if (moved !== 0) region.scrollTop += moved;
    }
    this.#top = region.scrollTop;
    this.#measure(region);
  };

  /** Says which ends are near. */
  look = (): void => {
    const region = this.#region;
    if (!region) return;
    const ahead = region.clientHeight * AHEAD;
    if (region.scrollTop < ahead) this.near('first');
    if (region.scrollHeight - region.clientHeight - region.scrollTop < ahead) this.near('last');
  };

  /** Ids of the turns that can be seen or are about to be. */
  inView = (): ReadonlySet<string> => {
    const region = this.#region?.getBoundingClientRect();
    if (!region) return new Set();
    const [from, to] = [region.top - region.height * KEPT, region.bottom + region.height * KEPT];
    const seen = this.#turns().filter((article) => {
      const { top, bottom } = article.getBoundingClientRect();
      return bottom > from && top < to;
    });
    return new Set(seen.flatMap((article) => article.dataset['turn'] ?? []));
  };

  /** Finds the first turn that ends below the region's top, from the nearer end. */
  #markFirst(top: number): HTMLElement | null {
    const turns = this.#turns();
    const isAbove = (article: HTMLElement) => article.getBoundingClientRect().bottom <= top;
    const at = this.atEnd ? turns.findLastIndex(isAbove) + 1 : turns.findIndex((article) => !isAbove(article));
    const first = turns[at] ?? null;
    if (first !== this.#first) {
      delete this.#first?.dataset['first'];
      if (first) first.dataset['first'] = '';
      this.#first = first;
    }
    return first;
  }

  #turns(): HTMLElement[] {
    return [...(this.#content?.querySelectorAll<HTMLElement>(':scope > :is([data-turn], [data-before])') ?? [])];
  }

  #measure(region: HTMLElement): void {
    this.hidesEnd = region.scrollHeight - region.clientHeight - region.scrollTop > NEAR;
  }
}
