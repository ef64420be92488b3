// The write sessions of the replay: two texts each, and the answers made from them, as the core gives them (W6, W7).

import type { DiffRow } from '$lib/generated/DiffRow';
import type { ErrorInfo } from '$lib/generated/ErrorInfo';
import type { ProposalCause } from '$lib/generated/ProposalCause';
import type { Removal } from '$lib/generated/Removal';
import type { RowRest } from '$lib/generated/RowRest';
import type { Seam } from '$lib/generated/Seam';
import type { Undone } from '$lib/generated/Undone';
import type { WriteFault } from '$lib/generated/WriteFault';
import type { WriteOperation } from '$lib/generated/WriteOperation';
import type { WriteProposal } from '$lib/generated/WriteProposal';
import type { WriteRevision } from '$lib/generated/WriteRevision';
import type { WriteState } from '$lib/generated/WriteState';
import type { WriteStatus } from '$lib/generated/WriteStatus';
import type { WriteView } from '$lib/generated/WriteView';
import { utf8Length } from '$lib/model/utf8';
import { type Difference, difference, restOf } from './difference';
import { error } from './fixtures';

export interface Draft {
  path: string;
  operation: WriteOperation;
  intent: string;
  /** Null when there is no file yet. */
  old: string | null;
  text: string;
  /** Of a binary file that is there instead of `old`. */
  replacedBytes?: number;
  seams?: Seam[];
  faults?: WriteFault[];
  moreFaults?: number;
  removals?: Removal[];
  alwaysAsks?: string;
  /** Lines of the file that is there, where the draft has the fault that names them. */
  oldLines?: number;
  encoding?: string;
  lineEnds?: string;
  /** What the file holds once it changes on disk, under the preview. */
  changesTo?: string;
  /** What an approval is refused with, and how the write then ends. */
  refusal?: ErrorInfo;
}

export class Desk {
  state: WriteState = 'awaiting_content';
  changedOnDisk = false;
  undoable = false;
  undone = false;
  cause: ProposalCause = 'content';
  /** How the write ended. */
  came: WriteStatus | null = null;
  #made: { proposal: WriteProposal; diff: Difference } | null = null;

  constructor(
    readonly requestId: string,
    readonly write: number,
    readonly toolCallId: string,
    public draft: Draft,
  ) {}

  proposal(): WriteProposal {
    return this.#difference().proposal;
  }

  /** `sent` is what has streamed. */
  view(sent: string): WriteView {
    const { path, operation, intent } = this.draft;
    const over = this.state === 'awaiting_content' || this.state === 'needs_corrections' ? null : this.#difference();
    const tail = over ? '' : sent.slice(-65_536);
    return {
      requestId: this.requestId,
      write: this.write,
      toolCallId: this.toolCallId,
      path,
      operation,
      intent,
      state: this.state,
      tail,
      tailOffset: utf8Length(sent) - utf8Length(tail),
      cutRows:
        over?.diff.rows.flatMap(({ kind, cut }, row) => (kind !== 'unchanged' && cut > 0 ? [{ row, cut }] : [])) ?? [],
      moreCutRows: 0,
      proposal: over?.proposal ?? null,
      hunks: over?.diff.hunks ?? [],
      rows: over?.diff.rows.length ?? 0,
      replacedBytes: (over && this.draft.replacedBytes) ?? null,
      changedOnDisk: this.changedOnDisk,
      undoable: this.undoable,
      undone: this.undone,
    };
  }

  rows(digest: string, from: number, count: number): DiffRow[] {
    const { proposal, diff } = this.#difference();
    if (digest !== proposal.digest) throw stale();
    return diff.rows.slice(from, from + Math.min(count, 5_000));
  }

  rest(digest: string, row: number, from: number): RowRest {
    const { proposal, diff } = this.#difference();
    if (digest !== proposal.digest) throw stale();
    return restOf(diff.wholes[row] ?? '', from);
  }

  revise(digest: string, revision: WriteRevision): void {
    this.#checked(digest);
    const { draft } = this;
    if (revision.type === 'text')
      this.draft = { ...draft, text: revision.text, faults: [], moreFaults: 0, removals: [] };
    else if (revision.type === 'refresh') this.draft = { ...draft, old: draft.changesTo ?? draft.old };
    else {
      const going = (draft.removals ?? []).filter(({ kind }) => revision.removals.includes(kind));
      const lines = draft.text.split('\n');
      const characters = going.some(({ kind }) => kind === 'characters');
      const text = lines
        .filter((_, index) => !going.some(({ line, kind }) => kind !== 'characters' && line === index + 1))
        .join('\n');
      this.draft = {
        ...draft,
        text: characters ? text.replace(/[\u0000\u0007\ufffd]/g, '') : text,
        faults: characters ? [] : (draft.faults ?? []),
        moreFaults: characters ? 0 : (draft.moreFaults ?? 0),
        removals: (draft.removals ?? []).filter((removal) => !going.includes(removal)),
      };
    }
    this.cause = revision.type === 'refresh' ? 'file_changed' : 'revised';
    this.changedOnDisk = revision.type === 'refresh' ? false : this.changedOnDisk;
    this.#made = null;
  }

  /** The file changes on disk. True when there is another proposal now. */
  touched(): boolean {
    if (this.state === 'done') this.undoable = false;
    const { changesTo, old } = this.draft;
    if (this.state !== 'awaiting_approval' || changesTo === undefined || changesTo === old) return false;
    this.revise(this.proposal().digest, { type: 'refresh' });
    return true;
  }

  approve(digest: string, despiteFaults: boolean): void {
    this.#checked(digest);
    if (this.draft.refusal) throw this.draft.refusal;
    if (this.proposal().faults.length > 0 && !despiteFaults) {
      throw error(
        'write_faulty',
        'Some of the content is still wrong.',
        'Look at the places, then write it anyway or have them removed.',
      );
    }
  }

  /** What is written is the proposal without the hunks that were rejected; from then on it is what the view shows. */
  wrote(rejected: number[]): WriteProposal {
    const { proposal } = this.#difference();
    this.undoable = true;
    this.state = 'done';
    const text = this.#without(rejected);
    const written = difference(this.draft.old ?? '', text);
    this.#made = { proposal, diff: written };
    return { ...proposal, bytes: utf8Length(text), sha256: hash(text) };
  }

  /** The file with these changes alone; null for all. */
  textOf(hunks: number[] | null): string {
    return hunks === null
      ? this.draft.text
      : this.#without(
          this.#difference()
            .diff.hunks.map(({ number }) => number)
            .filter((number) => !hunks.includes(number)),
        );
  }

  undo(): Undone {
    const {
      requestId,
      write,
      draft: { path },
    } = this;
    const refusal = this.undoable
      ? null
      : error('undo_stale', `${path} no longer holds what was written.`, 'Change it by hand, or with another message.');
    this.undone ||= this.undoable;
    this.undoable = false;
    return { requestId, write, path, error: refusal };
  }

  #without(rejected: readonly number[]): string {
    const { diff } = this.#difference();
    const within = (row: number) =>
      diff.hunks.some(
        ({ number, firstRow, rows }) => rejected.includes(number) && row >= firstRow && row < firstRow + rows,
      );
    const kept = diff.rows.filter(({ kind }, row) => (within(row) ? kind !== 'added' : kind !== 'removed'));
    return kept.map((row) => (diff.wholes[diff.rows.indexOf(row)] ?? row.text) + (row.noLineEnd ? '' : '\n')).join('');
  }

  #checked(digest: string): void {
    if (this.state !== 'awaiting_approval' || digest !== this.proposal().digest) throw stale();
  }

  #difference(): { proposal: WriteProposal; diff: Difference } {
    if (this.#made) return this.#made;
    const {
      path,
      operation,
      old,
      text,
      replacedBytes,
      seams = [],
      faults = [],
      moreFaults = 0,
      removals = [],
      alwaysAsks = null,
      encoding = 'UTF-8',
      lineEnds = 'LF',
    } = this.draft;
    const diff = difference(old ?? '', text);
    for (const seam of seams) {
      const row = diff.rows.find((one) => one.new === seam.line);
      row?.marks.push({ from: 0, to: 0, kind: 'seam' });
    }
    const proposal: WriteProposal = {
      digest: hash([path, operation, old ?? '', text, this.cause].join('\u0000')),
      cause: this.cause,
      leadsTo: null,
      baseSha256: old === null && replacedBytes === undefined ? null : hash(old ?? 'binary'),
      sha256: hash(text),
      bytes: utf8Length(text),
      lines: text.split('\n').length - (text.endsWith('\n') ? 1 : 0),
      added: diff.added,
      removed: diff.removed,
      oldLines:
        this.draft.oldLines ?? (old === null ? 0 : old.split('\n').length - (old.endsWith('\n') || old === '' ? 1 : 0)),
      hunks: diff.hunks.length,
      encoding,
      lineEnds,
      seams,
      faults,
      moreFaults,
      removals,
      alwaysAsks,
    };
    return (this.#made = { proposal, diff });
  }
}

const stale = () =>
  error('approval_stale', 'This is not what is proposed any more.', 'Look at the new preview, then decide.');

/** Not a digest anybody could trust; only that two texts have two of them. */
function hash(text: string): string {
  let [a, b] = [0x811c9dc5, 0x1000193];
  for (let at = 0; at < text.length; at++) {
    a = Math.imul(a ^ text.charCodeAt(at), 0x01000193);
    b = Math.imul(b + text.charCodeAt(at), 0x85ebca6b) ^ (b >>> 13);
  }
  return [a, b, a ^ b, b - a]
    .map((part) => (part >>> 0).toString(16).padStart(8, '0'))
    .join('')
    .repeat(2);
}
