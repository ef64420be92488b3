// Completes the files and folders that a message names with `@`, in its field. An answer may come after the next key: then it is not
// shown, and a key that would take an entry waits for the answer to what stands there.

import type { FoundFiles } from '$lib/app/folder.svelte';
import type { FileEntry } from '$lib/generated/FileEntry';
import { completed, typedAt, type Typed } from '$lib/model/mention';

/** Pause before names that are still being read are asked for again. */
const AGAIN_MS = 250;

export class Naming {
  /** What is found for what is typed. */
  found: readonly FileEntry[] = $state.raw([]);
  partial = $state(false);
  #moved = $state(0);
  #typed: Typed | null = null;
  #field: HTMLTextAreaElement | undefined;
  /** The `@` for which the person closed the list. */
  #closed = -1;
  #asks = 0;
  #waiting = false;
  /** The key that takes what the answer begins with. */
  #takes: 'Enter' | 'Tab' | null = null;

  constructor(
    private readonly find: (filter: string) => Promise<FoundFiles>,
    private readonly put: (text: string, caret: number) => void,
    /** Enter was for the message after all. */
    private readonly send: () => void,
  ) {}

  get open(): boolean {
    return this.found.length > 0;
  }

  /** A text with whole names alone: half a name that is being completed is none. */
  whole(text: string): string {
    const from = this.open ? (this.#typed?.from ?? -1) : -1;
    return from === -1 ? text : text.slice(0, from) + text.slice(from + 1);
  }

  get chosen(): number {
    return Math.min(this.#moved, this.found.length - 1);
  }

  /** Follows the field of the message. */
  field = (field: HTMLTextAreaElement) => {
    this.#field = field;
    const look = () => this.#look();
    // Afterwards: a field that leaves the page loses the keyboard while the page is being changed, when no state may be set.
    const close = () => queueMicrotask(() => this.#close());
    field.addEventListener('input', look);
    field.addEventListener('click', look);
    field.addEventListener('blur', close);
    return () => {
      field.removeEventListener('input', look);
      field.removeEventListener('click', look);
      field.removeEventListener('blur', close);
      this.#field = undefined;
      this.#close();
    };
  };

  /** Whether a key was for the list. */
  taken({ key, shiftKey, ctrlKey, metaKey }: KeyboardEvent): boolean {
    const takes = (key === 'Enter' || key === 'Tab') && !shiftKey && !ctrlKey && !metaKey;
    if (takes && this.#waiting && this.#typed && this.#typed.filter !== '') {
      this.#takes = key;
      return true;
    }
    const file = this.found[this.chosen];
    if (!file) return false;
    if (key === 'ArrowDown' || key === 'ArrowUp')
      this.#moved = (this.chosen + (key === 'ArrowDown' ? 1 : this.found.length - 1)) % this.found.length;
    else if (key === 'Escape') {
      this.#closed = this.#typed?.from ?? -1;
      this.#close();
    } else if (takes) this.choose(file);
    else {
      // The caret moves without a change.
      if (key === 'ArrowLeft' || key === 'ArrowRight' || key === 'Home' || key === 'End') this.#close();
      return false;
    }
    return true;
  }

  choose(file: FileEntry): void {
    const typed = this.#typed;
    if (!typed || !this.#field) return;
    const { text, caret } = completed(this.#field.value, typed, file.path, file.directory);
    this.#close();
    this.put(text, caret);
    if (file.directory) this.#ask(typedAt(text, caret));
  }

  #close(): void {
    this.#asks += 1;
    this.found = [];
    this.partial = false;
    this.#typed = null;
    this.#waiting = false;
    this.#takes = null;
  }

  #look(): void {
    const field = this.#field;
    if (!field) return;
    const typed = field.selectionStart === field.selectionEnd ? typedAt(field.value, field.selectionStart) : null;
    if (typed?.from !== this.#closed) this.#closed = -1;
    if (!typed || typed.from === this.#closed) this.#close();
    else this.#ask(typed);
  }

  #ask(typed: Typed | null): void {
    if (!typed) return;
    this.#typed = typed;
    this.#takes = null;
    void this.#answer(typed, ++this.#asks);
  }

  async #answer(typed: Typed, asked: number): Promise<void> {
    this.#waiting = true;
    // Without an answer there is nothing to choose.
    const { files, partial } = await this.find(typed.filter).catch(() => ({ files: [], partial: false }));
    if (asked !== this.#asks) return;
    this.#waiting = false;
    this.#moved = 0;
    const [first] = files;
    // A name that is there as it stands needs no list: Enter sends the message.
    const isWhole = first?.path === typed.filter && !first.directory;
    [this.found, this.partial] = [isWhole ? [] : files, partial];
    const takes = this.#takes;
    this.#takes = null;
    if (takes !== null && first && !isWhole) this.choose(first);
    else if (takes === 'Enter') this.send();
    if (partial) setTimeout(() => asked === this.#asks && void this.#answer(typed, asked), AGAIN_MS);
  }
}
