// What is being written, kept by the core shortly after it was typed, so that a crash loses no more than a moment. Each session has its own
// draft, and each project one for a new session. Not here: when a place is left or a message sent (window.svelte.ts, sending).

import { ask, type Backend } from '$lib/backend/backend';
import type { DraftOf } from '$lib/generated/DraftOf';

/** Milliseconds between two writes: a draft is saved at most once a second, and the first letters soon. */
const PACE = 1_000;
const SOON = 250;

const keyOf = (of: DraftOf): string => (of.type === 'session' ? `s ${of.sessionId}` : `p ${of.projectId}`);

export class Drafts {
  /** What the core has, or is being given. */
  #kept = new Map<string, string>();
  /** What it is to be given next. */
  #due = new Map<string, { of: DraftOf; text: string }>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #last = -Infinity;

  constructor(
    private readonly backend: Backend,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** What is written in a place now. */
  changed(of: DraftOf, text: string): void {
    const key = keyOf(of);
    const kept = text.trim() === '' ? '' : text;
    if ((this.#due.get(key)?.text ?? this.#kept.get(key) ?? '') === kept) return;
    this.#due.set(key, { of, text: kept });
    this.#timer ??= setTimeout(() => this.flush(), Math.max(SOON, this.#last + PACE - this.now()));
  }

  /** Saves at once what is due. */
  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#due.size === 0) return;
    this.#last = this.now();
    const due = [...this.#due.values()];
    this.#due.clear();
    for (const { of, text } of due) {
      this.#kept.set(keyOf(of), text);
      // A draft that is not kept is no reason to interrupt who writes it: the next letter tries again.
      this.backend.submit({ type: 'save_draft', of, text }).catch(() => this.#kept.delete(keyOf(of)));
    }
  }

  /** What was written in a place before; empty where nothing was, or where it cannot be read. */
  async of(of: DraftOf): Promise<string> {
    const key = keyOf(of);
    const known = this.#due.get(key)?.text ?? this.#kept.get(key);
    if (known !== undefined) return known;
    try {
      const text = (await ask(this.backend, { type: 'draft', of })).text ?? '';
      if (!this.#kept.has(key)) this.#kept.set(key, text);
      return text;
    } catch {
      return ''; // Whoever writes is not kept from it: what they write is kept from now on.
    }
  }
}
