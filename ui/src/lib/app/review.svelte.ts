// The preview of a write: which session it shows, what was decided so far, and what a person can do to it (W6, A3). Not here:
// how it looks (ui/diff), what events say of the session (model/write.ts, model/content.ts), the rows (rows.svelte.ts), and the text while a person
// changes it (edit.svelte.ts).

import { untrack } from 'svelte';
import { asErrorInfo, ask } from '$lib/backend/backend';
import type { DiffHunk } from '$lib/generated/DiffHunk';
import type { ErrorInfo } from '$lib/generated/ErrorInfo';
import type { Op } from '$lib/generated/Op';
import type { Reply } from '$lib/generated/Reply';
import type { WriteRevision } from '$lib/generated/WriteRevision';
import type { WriteView } from '$lib/generated/WriteView';
import * as app from '$lib/model/app';
import { turnOf, writingOf } from '$lib/model/chat';
import { approvalWords, changeSpoken, placesWrong } from '$lib/model/diff/words';
import { asks } from '$lib/model/pending';
import { askedWrite, openWrite, repeatsIn, writesOf } from '$lib/model/write';
import { words } from '$lib/words';
import { Edit } from './edit.svelte';
import { preferences } from './preferences.svelte';
import { Rows } from './rows.svelte';
import type { OrionWindow } from './window.svelte';

interface Chosen {
  requestId: string;
  write: number;
}

const NONE: ReadonlySet<number> = new Set();

export class Review {
  /** Null for the latest session of the chat. */
  chosen: Chosen | null = $state.raw(null);
  view: WriteView | null = $state.raw(null);
  rows: Rows | null = $state.raw(null);
  /** Why the preview is missing, or why an action on it failed. */
  failure: ErrorInfo | null = $state.raw(null);
  busy = $state(false);
  /** Place of the current hunk among the hunks. */
  current = $state(0);
  /** Grows when the current hunk, or this row, is to be brought into view. */
  jumps = $state(0);
  row: number | null = null;
  /** True until the pane has taken the keyboard. */
  wantsFocus = $state(false);

  shown = $derived.by(() => {
    const { chat } = this.orion;
    const { chosen } = this;
    const turn = chosen ? turnOf(chat, chosen.requestId) : writingOf(chat);
    const writes = turn ? writesOf(turn) : [];
    const item = chosen ? writes.find(({ write }) => write === chosen.write) : writes.at(-1);
    return turn && item ? { turn, item } : null;
  });
  /** The turn that waits for a decision on a write, whichever session is shown. */
  asked = $derived.by(() => {
    const turn = this.orion.running;
    const item = turn && askedWrite(turn);
    if (!turn || !item) return null;
    const {
      write,
      path,
      stage: { proposal },
    } = item;
    // The pattern that the approval would be kept as; null where keeping it would change nothing (A1).
    const keeps = asks(turn, 'write')?.keeps ?? null;
    return { requestId: turn.requestId, write, path, proposal, keeps };
  });
  /** True when the proposal that is shown is the one that is asked about. */
  asks = $derived(
    this.asked !== null &&
      this.shown?.turn.requestId === this.asked.requestId &&
      this.shown.item.write === this.asked.write,
  );
  /** True when the view is of the very proposal that is asked about. */
  #fresh = $derived(this.asks && this.view?.proposal?.digest === this.asked?.proposal.digest);
  #edits: readonly Edit[] = $state.raw([]);
  /** The text of the shown file, while the person changes it. */
  editing = $derived(this.shown && this.#editOf(this.shown.turn.requestId, this.shown.item.write));
  /** The band below the conversation is open. */
  isOpen = $state(false);
  visible = $derived.by(() => this.shown !== null && (this.orion.sides.wide || this.isOpen));
  hunks = $derived(this.view?.hunks ?? []);
  /** The person's decisions, and the proposal that they are about. They hold for no other (A3). */
  #decided: { of: string | null; rejected: ReadonlySet<number> } = $state.raw({ of: null, rejected: NONE });
  #of = $derived(this.asked && [this.asked.requestId, this.asked.write, this.asked.proposal.digest].join(' '));
  /** Numbers of the hunks that are not to be written; all others are. */
  rejected: ReadonlySet<number> = $derived(this.#decided.of === this.#of ? this.#decided.rejected : NONE);
  /** What is rejected so far. When a write is over, the core shows what was written, so nothing is rejected any more. */
  marked: ReadonlySet<number> = $derived(this.asks ? this.rejected : NONE);
  /** For those who do not see the preview open. */
  announcement = $derived.by(() => {
    if (!this.asked) return '';
    const { path, proposal } = this.asked;
    return words.preview.announced(
      path,
      proposal.hunks,
      changeSpoken(proposal),
      placesWrong(proposal),
      proposal.cause === 'file_changed',
    );
  });
  accepted = $derived((this.asked?.proposal.hunks ?? 0) - this.rejected.size);
  /** The proposal whose first rows were drawn last. */
  #drawn: { digest: string; hunks: readonly DiffHunk[]; rows: Rows | null; beyond: number } | null = $state.raw(null);
  /** Changed rows that would be written, and that were not opened to their end. */
  #unseenRows = $derived.by(() => {
    const drawn = this.asked?.proposal.digest === this.#drawn?.digest ? this.#drawn : null;
    return (drawn?.rows?.unseen ?? []).filter(
      (row) => !drawn?.hunks.some((hunk) => this.rejected.has(hunk.number) && isIn(hunk, row)),
    );
  });
  /** How many changed lines would be approved of which the person cannot have seen the end. They count as faults do. */
  unseen = $derived(
    this.#unseenRows.length + (this.asked?.proposal.digest === this.#drawn?.digest ? (this.#drawn?.beyond ?? 0) : 0),
  );
  /** What the button says, or null while there is nothing to approve. */
  approval = $derived.by(() => {
    // A person who edits would approve something that they do not see. What another version wrote can only be rejected
    // (T8).
    if (
      !this.asked ||
      this.orion.running?.otherVersion ||
      this.#editOf(this.asked.requestId, this.asked.write) ||
      (this.asked.proposal.hunks > 0 && this.accepted === 0)
    )
      return null;
    const { cause, faults } = this.asked.proposal;
    // The person must have seen the faults first (W5), and also a proposal that replaced another one (W6).
    if ((faults.length > 0 || this.unseen > 0 || cause !== 'content') && !(this.visible && this.#fresh)) return null;
    return approvalWords(this.asked.proposal, { rejected: this.rejected.size, unseen: this.unseen });
  });

  /** There is nothing that a person has to say by approving: neither a fault nor a line that they have not seen. */
  plain = $derived((this.asked?.proposal.faults.length ?? 0) === 0 && this.unseen === 0);
  /** The approval is of the proposal as the model made it, so it can be kept for the next ones (A6). */
  keepable = $derived.by(() => {
    const proposal = this.asked?.proposal;
    return (
      this.approval !== null &&
      proposal !== undefined &&
      this.plain &&
      proposal.cause !== 'file_changed' &&
      this.rejected.size === 0
    );
  });

  /** The person can have seen what they are asked about, but for what `unseen` tells. */
  drawn = $derived(this.asked !== null && this.#drawn?.digest === this.asked.proposal.digest);

  /** Turns that are shown or changed here. */
  get needed(): string[] {
    return [...(this.shown ? [this.shown.turn.requestId] : []), ...this.#edits.map(({ requestId }) => requestId)];
  }

  #load = 0;

  constructor(private readonly orion: OrionWindow) {}

  /** The first rows of the proposal are drawn, or the sentence that stands in their place. */
  draws(): void {
    const { view, rows } = this;
    if (view?.proposal)
      this.#drawn = { digest: view.proposal.digest, hunks: view.hunks, rows, beyond: view.moreCutRows };
  }

  /** Brings the first changed line that is not shown whole into view, with more of it. */
  async showUnseen(): Promise<void> {
    const { rows } = this;
    const row = this.#unseenRows.find((row) => rows?.unseen.includes(row));
    if (!rows || row === undefined) return;
    this.current = this.hunks.findIndex((hunk) => isIn(hunk, row));
    this.row = row;
    this.jumps += 1;
    await rows.more?.(row);
  }

  /** Brings a session into view; `null` is the latest. */
  show(chosen: Chosen | null, focus: boolean): void {
    this.chosen = chosen;
    this.isOpen = true;
    this.orion.sides.wide = preferences.wide;
    this.orion.sides.drawer = 'none';
    if (focus) this.wantsFocus = true;
  }

  /** Puts the difference away. A decision that waits stays in the bar. */
  hide(): void {
    // The keyboard would go with what has it.
    if (document.activeElement?.closest('[data-keys=review]')) this.orion.focusComposer();
    this.isOpen = false;
    this.orion.sides.wide = false;
    this.chosen = null;
  }

  /** Brings the latest session into view by itself, but never replaces a text that the person is editing. */
  open(): void {
    if (!isWriting()) return this.show(null, false);
    this.chosen = null;
    this.isOpen = true;
  }

  /** Asks for the present state of the session. Decisions are kept while the proposal is the same. */
  async load(): Promise<void> {
    const { shown } = this;
    const load = ++this.#load;
    if (!shown) return this.#take(null);
    const { requestId } = shown.turn;
    const { write } = shown.item;
    try {
      const { aftermathRevision } = this.orion.model;
      const { view } = await ask(this.orion.backend, { type: 'write', requestId, write });
      if (load !== this.#load) return;
      // It was undone meanwhile, or brought again, and this answer may be older.
      if (aftermathRevision !== this.orion.model.aftermathRevision) return await this.load();
      this.orion.model = app.foldWrite(this.orion.model, view);
      this.#take(view);
    } catch (thrown) {
      if (load !== this.#load) return;
      this.#take(null);
      this.failure = asErrorInfo(thrown);
    }
  }

  decide(number: number, accept: boolean): void {
    if (!this.hunks.some((hunk) => hunk.number === number)) return;
    const rejected = new Set(this.rejected);
    if (accept) rejected.delete(number);
    else rejected.add(number);
    this.#decide(rejected);
  }

  decideCurrent(accept: boolean): void {
    const hunk = this.hunks[this.current];
    if (hunk) this.decide(hunk.number, accept);
  }

  decideAll(accept: boolean): void {
    this.#decide(new Set(accept ? [] : this.hunks.map(({ number }) => number)));
  }

  go(step: 1 | -1): void {
    this.goTo(this.current + step);
  }

  goTo(place: number): void {
    if (this.hunks.length === 0) return;
    this.current = Math.min(Math.max(place, 0), this.hunks.length - 1);
    this.row = null;
    this.jumps += 1;
  }

  /** Brings a line of the new file into view, if it is among the changes. */
  async goToLine(line: number): Promise<void> {
    const { rows } = this;
    const place = this.hunks.findIndex(({ newStart, newLines }) => line >= newStart && line < newStart + newLines);
    const hunk = this.hunks[place];
    if (!rows || !hunk) return;
    const row = await rows.rowOfLine(line, hunk.firstRow + line - hunk.newStart, hunk.firstRow + hunk.rows);
    // The same proposal came anew meanwhile.
    if (this.rows !== rows) return this.goToLine(line);
    this.current = place;
    this.row = row;
    this.jumps += 1;
  }

  /** True when the core accepted it; the same holds for all methods that follow. */
  async approve(): Promise<boolean> {
    const { asked } = this;
    if (!asked || this.approval === null || !this.drawn) return false;
    const { faults, hunks } = asked.proposal;
    return this.reply({ type: 'write', hunks: this.#kept(hunks), despiteFaults: faults.length > 0 });
  }

  async reject(): Promise<boolean> {
    return this.reply({ type: 'reject', reason: null, stop: false });
  }

  async reply(reply: Reply): Promise<boolean> {
    const { asked } = this;
    const taken =
      asked !== null &&
      (await this.#submit({ type: 'reply', requestId: asked.requestId, digest: asked.proposal.digest, reply }));
    if (taken) await this.orion.queueing.afterAnswer(reply);
    return taken;
  }

  /** A new proposal follows. */
  async revise(revision: WriteRevision): Promise<boolean> {
    const { asked } = this;
    const taken =
      asked !== null &&
      (await this.#submit({
        type: 'revise_write',
        requestId: asked.requestId,
        digest: asked.proposal.digest,
        revision,
      }));
    // A change that failed brings no new proposal.
    if (taken) await this.load();
    return taken;
  }

  async edit(): Promise<void> {
    const { asked } = this;
    if (!asked) return;
    const { rejected } = this;
    await this.#try(async () => {
      const { text } = await ask(this.orion.backend, {
        type: 'write_text',
        requestId: asked.requestId,
        write: asked.write,
        hunks: this.#kept(asked.proposal.hunks),
      });
      // Nobody is asked about this text any more.
      if (this.asked?.proposal.digest !== asked.proposal.digest) return;
      const others = this.#edits.filter(({ requestId }) => app.holds(this.orion.model, requestId));
      this.#edits = [...others, new Edit(asked.requestId, asked.write, text, rejected.size)];
    });
  }

  close(edit: Edit): void {
    this.#edits = this.#edits.filter((other) => other !== edit);
    this.wantsFocus = true;
  }

  /** Undoes a write of a turn, or all of them (W7). */
  async undo(requestId: string, write: number | null): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    const outcome = await this.orion.submit({ type: 'undo_write', requestId, write });
    this.busy = false;
    if (outcome?.type === 'undone') this.orion.model = app.foldUndone(this.orion.model, outcome.writes);
    if (this.shown?.turn.requestId === requestId) await this.load();
  }

  #editOf(requestId: string, write: number): Edit | null {
    return this.#edits.find((edit) => edit.requestId === requestId && edit.write === write) ?? null;
  }

  /** The numbers of the changes that are to be written; null for all. */
  #kept(hunks: number): number[] | null {
    const { rejected } = this;
    return rejected.size === 0
      ? null
      : Array.from({ length: hunks }, (_, index) => index + 1).filter((number) => !rejected.has(number));
  }

  #decide(rejected: ReadonlySet<number>): void {
    if (this.#fresh) this.#decided = { of: this.#of, rejected };
  }

  #take(view: WriteView | null): void {
    const before = this.view;
    this.failure = null;
    this.view = view;
    const digest = view?.proposal?.digest ?? null;
    const same = before?.requestId === view?.requestId && before?.write === view?.write;
    // After the write the core gives the rows of what was written.
    if (same && before?.proposal?.digest === digest && (before?.state === 'done') === (view?.state === 'done')) return;
    this.current = 0;
    this.row = null;
    this.rows =
      view && digest !== null
        ? new Rows(this.orion.backend, {
            requestId: view.requestId,
            write: view.write,
            digest,
            path: view.path,
            total: view.rows,
            cut: view.cutRows,
          })
        : null;
  }

  async #submit(op: Op): Promise<boolean> {
    return this.#try(async () => void (await this.orion.backend.submit(op)));
  }

  async #try(act: () => Promise<void>): Promise<boolean> {
    if (this.busy) return false;
    this.busy = true;
    try {
      await act();
      this.failure = null;
      return true;
    } catch (thrown) {
      this.failure = asErrorInfo(thrown);
      // An error is shown where it happened, so that place has to be visible.
      if (!this.visible) this.show(this.chosen, false);
      return false;
    } finally {
      this.busy = false;
    }
  }
}

/** Whether a row is one of a hunk's. */
const isIn = ({ firstRow, rows }: DiffHunk, row: number): boolean => row >= firstRow && row < firstRow + rows;

/** True while there is text in the field that has the keyboard. */
function isWriting(): boolean {
  const field = document.activeElement;
  return (field instanceof HTMLTextAreaElement || field instanceof HTMLInputElement) && field.value !== '';
}

/** Opens the preview by itself once there is one (W6), shows the file as it grows, and puts it away when the write is over. Call it once. */
export function followWrites(orion: OrionWindow): void {
  const { review } = orion;
  const open = $derived(orion.running && openWrite(orion.running));
  const growing = $derived(open?.stage.kind === 'content' && orion.running && !repeatsIn(orion.running, open));
  /** The write that is under way. */
  const underWay = $derived(orion.running && open ? `${orion.running.requestId} ${open.write}` : null);
  /** What the person has to look at: a proposal, and each one that replaced it because the file changed (W6). */
  const asked = $derived.by(() => {
    if (!review.asked) return null;
    const { requestId, write, proposal } = review.asked;
    return [requestId, write, proposal.cause === 'file_changed' ? proposal.digest : ''].join(' ');
  });
  $effect(() => {
    if (!growing || underWay === null) return;
    untrack(() => {
      review.chosen = null;
      review.isOpen = true;
    });
  });
  $effect(() => {
    if (asked !== null) untrack(() => review.open());
  });
  let before: string | null = null;
  $effect(() => {
    const over = underWay === null ? before : null;
    before = underWay;
    if (over === null) return;
    untrack(() => {
      const { chosen } = review;
      const others = chosen !== null && `${chosen.requestId} ${chosen.write}` !== over;
      if (!others && !review.editing?.changed) review.hide();
    });
  });
}
