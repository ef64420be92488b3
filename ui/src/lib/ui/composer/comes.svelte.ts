// What comes with the message that is being written. Asked for when the person stops typing for a moment, and not without an `@`.

import type { NamedFile } from '$lib/generated/NamedFile';

/** Pause after a key. */
const STILL_MS = 250;

export class Comes {
  files: readonly NamedFile[] = $state.raw([]);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asks = 0;

  constructor(private readonly look: (text: string) => Promise<readonly NamedFile[]>) {}

  /** The text is this now. */
  follow(text: string): void {
    clearTimeout(this.#timer);
    const asked = ++this.#asks;
    if (!text.includes('@')) {
      this.files = [];
      return;
    }
    this.#timer = setTimeout(() => void this.#ask(text, asked), STILL_MS);
  }

  async #ask(text: string, asked: number): Promise<void> {
    // Without an answer nothing is said; the core looks again when the message is sent.
    const files = await this.look(text).catch(() => []);
    if (asked === this.#asks) this.files = files;
  }
}
