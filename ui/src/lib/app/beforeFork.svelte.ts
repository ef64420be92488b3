// The turns above the first turn of a fork: those of the session that it was made from, page by page (T9, 0112). They are only read.
// Not here: the turns of the open session (pages), and how they look (ui/chat/EarlierTurn.svelte).

import { asErrorInfo, ask } from '$lib/backend/backend';
import type { ErrorInfo } from '$lib/generated/ErrorInfo';
import { forkIn, turnOfView } from '$lib/model/chat';
import type { Turn } from '$lib/model/turn';
import type { OrionWindow } from './window.svelte';

/** Turns in a page: each is a line or two. */
const PAGE_TURNS = 20;

export class BeforeFork {
  turns: readonly Turn[] = $state.raw([]);
  /** There are more before these. */
  earlier = $state(false);
  loading = $state(false);
  failed: ErrorInfo | null = $state.raw(null);
  /** The first turn of the fork that they are above. */
  #of: string | null = null;
  #asks = 0;

  constructor(private readonly orion: OrionWindow) {}

  /** The conversation that is shown has changed: where it begins with a fork, its first page is loaded. */
  follow(): void {
    const first = forkIn(this.orion.chat)?.requestId ?? null;
    if (first === this.#of) return;
    this.#of = first;
    this.#asks += 1;
    this.turns = [];
    this.earlier = false;
    this.loading = false;
    this.failed = null;
    if (first !== null) void this.#before(first);
  }

  async more(): Promise<void> {
    const before = this.turns[0]?.requestId ?? this.#of;
    if (before !== null && !this.loading) await this.#before(before);
  }

  async #before(requestId: string): Promise<void> {
    const { backend, projectId } = this.orion;
    const asks = ++this.#asks;
    this.loading = true;
    this.failed = null;
    try {
      const { page } = await ask(backend, { type: 'ancestors', requestId, turns: PAGE_TURNS });
      if (asks !== this.#asks) return;
      const known = new Set([this.#of, ...this.turns.map((turn) => turn.requestId)]);
      const came = page.turns.filter((view) => !known.has(view.requestId));
      this.turns = [...came.map((view) => turnOfView(view, projectId ?? '')), ...this.turns];
      // Forks of imported sessions may name each other: what is there already has nothing before it.
      this.earlier = page.earlier && came.length === page.turns.length;
    } catch (thrown) {
      if (asks === this.#asks) this.failed = asErrorInfo(thrown);
    } finally {
      if (asks === this.#asks) this.loading = false;
    }
  }
}
