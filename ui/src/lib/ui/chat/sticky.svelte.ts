// Keeps a scrolling region at its end while the person is there. Leaving is moving up; coming back is reaching the end.

import type { Attachment } from 'svelte/attachments';

/** Pixels from the end that still count as the end. */
const NEAR = 24;

export class StickyEnd {
  atEnd = $state(true);
  /** There is something below what can be seen. */
  hidesEnd = $state(false);
  #region: HTMLElement | null = null;
  #top = 0;

  scroller: Attachment<HTMLElement> = (region) => {
    this.#region = region;
    const onScroll = () => {
      this.#measure(region);
      if (!this.hidesEnd) this.atEnd = true;
      else if (region.scrollTop < this.#top) this.atEnd = false;
      this.#top = region.scrollTop;
    };
    region.addEventListener('scroll', onScroll, { passive: true });
    const resized = new ResizeObserver(this.#follow);
    resized.observe(region);
    return () => {
      region.removeEventListener('scroll', onScroll);
      resized.disconnect();
      this.#region = null;
    };
  };

  /** Runs after layout and before paint, so that growth never shows as a jump. */
  content: Attachment<HTMLElement> = (content) => {
    const resized = new ResizeObserver(this.#follow);
    resized.observe(content);
    content.addEventListener('click', this.#onClick, { capture: true });
    return () => {
      resized.disconnect();
      content.removeEventListener('click', this.#onClick, { capture: true });
    };
  };

  /** Who opens a box wants to read it: what grows then must not push it away. */
  #onClick = (event: MouseEvent): void => {
    if (event.target instanceof Element && event.target.closest('[aria-expanded], summary')) this.atEnd = false;
  };

  jump = (): void => {
    this.atEnd = true;
    this.#follow();
  };

  #measure(region: HTMLElement): void {
    this.hidesEnd = region.scrollHeight - region.clientHeight - region.scrollTop > NEAR;
  }

  #follow = (): void => {
    if (!this.#region) return;
    if (this.atEnd) {
      this.#region.scrollTop = this.#region.scrollHeight;
      this.#top = this.#region.scrollTop;
    }
    this.#measure(this.#region);
  };
}
