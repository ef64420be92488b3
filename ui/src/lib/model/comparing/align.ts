// The steps of two turns side by side: what they have in common stands in one row, and the first difference is named. Pure.

import { words } from '$lib/words';
import { attribute, type Entry, textAttribute, titleOf } from '../timeline/entry';
import { type Step, stepKind, stepWords, type Timeline } from '../timeline/timeline';

/** What a step did, in words, and what it is compared by. */
export interface Line {
  step: Step;
  name: string;
  /** It is the answer of its turn. */
  answers: boolean;
  did: { name: string; detail: string; outcome: string }[];
  key: string;
}

export interface Row {
  left: Line | null;
  right: Line | null;
  same: boolean;
}

export interface Comparison {
  rows: Row[];
  /** The first row that is not the same in both; null where all are. */
  differs: number | null;
  /** What is different there, in words. */
  words: string;
}

/** Steps of a turn that are laid side by side; beyond them the turns are compared in their order alone. */
const MOST = 400;

/** What a call is told apart by: the tool and its canonical arguments, where it was run, and what it gave. */
function keyOf({ sort, span }: Entry): string {
  return JSON.stringify([
    sort,
    span.name,
    span.signature ?? textAttribute(span, 'arguments') ?? textAttribute(span, 'path'),
    span.status,
    attribute(span, 'sha256') ?? null,
  ]);
}

function outcomeOf({ sort, span }: Entry): string {
  if (sort === 'refused') return words.steps.refused;
  if (sort === 'reused') return words.steps.fromBefore;
  return span.status === 'ok' ? '' : span.status;
}

export function linesOf(timeline: Timeline): Line[] {
  return timeline.steps.map((step) => {
    const entries = step.entries.filter(({ sort }) => sort !== 'call' && sort !== 'wait');
    return {
      step,
      name: stepWords(timeline, step),
      answers: stepKind(timeline, step) === 'answer',
      did: entries.map((entry) => ({ ...titleOf(entry), outcome: outcomeOf(entry) })),
      key: JSON.stringify([step.sort, ...entries.map(keyOf)]),
    };
  });
}

/** The longest common subsequence, as pairs of places. */
function common(left: readonly Line[], right: readonly Line[]): [number, number][] {
  const [rows, columns] = [left.length + 1, right.length + 1];
  const lengths = new Uint16Array(rows * columns);
  for (let i = left.length - 1; i >= 0; i -= 1) {
    for (let j = right.length - 1; j >= 0; j -= 1) {
      const same = left[i]?.key === right[j]?.key;
      lengths[i * columns + j] = same
        ? (lengths[(i + 1) * columns + j + 1] ?? 0) + 1
        : Math.max(lengths[(i + 1) * columns + j] ?? 0, lengths[i * columns + j + 1] ?? 0);
    }
  }
  const pairs: [number, number][] = [];
  for (let i = 0, j = 0; i < left.length && j < right.length;) {
    if (left[i]?.key === right[j]?.key) pairs.push([i++, j++]);
    else if ((lengths[(i + 1) * columns + j] ?? 0) >= (lengths[i * columns + j + 1] ?? 0)) i += 1;
    else j += 1;
  }
  return pairs;
}

export function compared(left: readonly Line[], right: readonly Line[]): Comparison {
  const rows: Row[] = [];
  const until = (toLeft: number, toRight: number, from: { left: number; right: number }) => {
    // What is between two common steps stands side by side, a step of one turn beside a step of the other.
    for (let at = 0; at < Math.max(toLeft - from.left, toRight - from.right); at += 1) {
      const one = from.left + at < toLeft ? left[from.left + at] : undefined;
      const other = from.right + at < toRight ? right[from.right + at] : undefined;
      rows.push({ left: one ?? null, right: other ?? null, same: false });
    }
  };
  const from = { left: 0, right: 0 };
  for (const [i, j] of common(left.slice(0, MOST), right.slice(0, MOST))) {
    until(i, j, from);
    rows.push({ left: left[i] ?? null, right: right[j] ?? null, same: true });
    [from.left, from.right] = [i + 1, j + 1];
  }
  until(left.length, right.length, from);
  const at = rows.findIndex(({ same }) => !same);
  return { rows, differs: at === -1 ? null : at, words: at === -1 ? words.steps.same : difference(rows[at] as Row) };
}

const told = ({ name, detail }: { name: string; detail: string }): string =>
  detail === '' ? name : `${name} ${detail}`;

/** What one step did, such as `read_file src/fox.rs`; `answered` where it ran nothing. */
const doing = (line: Line): string =>
  line.did.length === 0 ? (line.answers ? words.steps.answered : words.steps.ranNoTool) : line.did.map(told).join(', ');

function difference({ left, right }: Row): string {
  if (!left || !right) return (left ? words.steps.onlyFirst : words.steps.onlySecond)(doing((left ?? right) as Line));
  const [one, other] = [doing(left), doing(right)];
  if (one !== other) return words.steps.differ(one, other);
  return words.steps.differInResult(one);
}
