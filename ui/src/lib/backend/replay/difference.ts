// The difference of two texts, as the core would tell it: rows, hunks, marks. Only for the replay; the real one is made in
// Rust.

import type { DiffHunk } from '$lib/generated/DiffHunk';
import type { DiffRow } from '$lib/generated/DiffRow';
import type { Mark } from '$lib/generated/Mark';
import type { MarkKind } from '$lib/generated/MarkKind';
import type { RowRest } from '$lib/generated/RowRest';
import { UNSEEN } from '$lib/model/plain';

/** Unchanged lines around a hunk. */
const CONTEXT = 3;
/** Source: `DiffRow::text`. */
const MAX_CHARACTERS = 2_000;
/** Source: `RowRest::text`. */
const MAX_MORE = 20_000;

export interface Difference {
  rows: DiffRow[];
  hunks: DiffHunk[];
  added: number;
  removed: number;
  /** The whole text of each row. */
  wholes: string[];
}

interface Line {
  text: string;
  noLineEnd: boolean;
}

function linesOf(text: string): Line[] {
  const lines = text.split('\n').map((line) => ({ text: line, noLineEnd: false }));
  const last = lines.pop();
  return last && last.text !== '' ? [...lines, { ...last, noLineEnd: true }] : lines;
}

export function difference(before: string, after: string): Difference {
  const [old, now] = [linesOf(before), linesOf(after)];
  const rows: DiffRow[] = [];
  for (const [a, b] of script(old, now)) {
    if (a !== null && b !== null) rows.push(row('unchanged', a, b, now[b] as Line));
    else if (a !== null) rows.push(row('removed', a, null, old[a] as Line));
    else if (b !== null) rows.push(row('added', null, b, now[b] as Line));
  }
  markWords(rows);
  const hunks = hunksOf(rows);
  const wholes = rows.map((one) =>
    one.cut === 0
      ? one.text
      : one.new === null
        ? (old[(one.old ?? 1) - 1] as Line).text
        : (now[one.new - 1] as Line).text,
  );
  return {
    rows,
    hunks,
    wholes,
    added: rows.filter((one) => one.kind === 'added').length,
    removed: rows.filter((one) => one.kind === 'removed').length,
  };
}

function row(kind: DiffRow['kind'], old: number | null, now: number | null, { text, noLineEnd }: Line): DiffRow {
  const cut = Math.max(text.length - MAX_CHARACTERS, 0);
  const shown = cut > 0 ? text.slice(0, MAX_CHARACTERS) : text;
  const marks = kind === 'removed' ? [] : suspicious(shown);
  return {
    kind,
    old: old === null ? null : old + 1,
    new: now === null ? null : now + 1,
    text: shown,
    cut,
    noLineEnd,
    marks,
  };
}

/** Lines that are looked ahead, on both sides together, for a place where the texts are the same again. */
const WINDOW = 200;

/** Pairs of line numbers, in order: both for a line that stays, one for a line that is removed or added. Not the shortest way, but one. */
function script(old: Line[], now: Line[]): [number | null, number | null][] {
  const same = (a: number, b: number) =>
    a < old.length && b < now.length && old[a]?.text === now[b]?.text && old[a]?.noLineEnd === now[b]?.noLineEnd;
  const pairs: [number | null, number | null][] = [];
  let [a, b] = [0, 0];
  while (a < old.length || b < now.length) {
    if (same(a, b)) {
      pairs.push([a++, b++]);
      continue;
    }
    const [removed, added] = nearest((over, under) => same(a + over, b + under)) ?? [old.length - a, now.length - b];
    for (let end = a + removed; a < end;) pairs.push([a++, null]);
    for (let end = b + added; b < end;) pairs.push([null, b++]);
  }
  return pairs;
}

function nearest(same: (over: number, under: number) => boolean): [number, number] | null {
  for (let total = 1; total <= WINDOW; total++) {
    for (let over = 0; over <= total; over++) if (same(over, total - over)) return [over, total - over];
  }
  return null;
}

function hunksOf(rows: readonly DiffRow[]): DiffHunk[] {
  const changed = rows.flatMap((one, index) => (one.kind === 'unchanged' ? [] : [index]));
  const ranges: [number, number][] = [];
  for (const index of changed) {
    const last = ranges.at(-1);
    if (last && index - last[1] <= 2 * CONTEXT) last[1] = index + 1;
    else ranges.push([index, index + 1]);
  }
  return ranges.map(([from, to], index) => {
    const first = Math.max(from - CONTEXT, 0);
    const within = rows.slice(first, Math.min(to + CONTEXT, rows.length));
    const [old, now] = [within.filter((one) => one.old !== null), within.filter((one) => one.new !== null)];
    return {
      number: index + 1,
      firstRow: first,
      rows: within.length,
      oldStart: old[0]?.old ?? 0,
      oldLines: old.length,
      newStart: now[0]?.new ?? 0,
      newLines: now.length,
    };
  });
}

/** Of a removed line and the added one in its place: the words between their common beginning and end. */
function markWords(rows: readonly DiffRow[]): void {
  for (let at = 0; at < rows.length; at++) {
    if (rows[at]?.kind !== 'removed') continue;
    let end = at;
    while (rows[end]?.kind === 'removed') end += 1;
    for (let pair = 0; at + pair < end && rows[end + pair]?.kind === 'added'; pair++)
      markPair(rows[at + pair] as DiffRow, rows[end + pair] as DiffRow);
    at = end;
  }
}

function markPair(old: DiffRow, now: DiffRow): void {
  const words = (text: string) => text.match(/\w+|\W/g) ?? [];
  const [a, b] = [words(old.text), words(now.text)];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail])
    tail += 1;
  if (head + tail === 0) return;
  const from = a.slice(0, head).join('').length;
  for (const [one, of] of [
    [old, a],
    [now, b],
  ] as const) {
    const to = of.slice(0, of.length - tail).join('').length;
    if (to > from) one.marks = [{ from, to, kind: 'changed' as const }, ...one.marks];
  }
}

/** A stretch of a row's line, from a character on. */
export function restOf(whole: string, from: number): RowRest {
  const characters = [...whole];
  const text = characters.slice(from, from + MAX_MORE).join('');
  return { text, cut: Math.max(characters.length - from - MAX_MORE, 0), marks: suspicious(text) };
}

const TURNS = /^[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]$/u;

const SUSPICIOUS: [MarkKind, RegExp][] = [
  ['invisible', UNSEEN],
  ['control', /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/gu],
  ['replacement', /\ufffd/gu],
];

function suspicious(text: string): Mark[] {
  if (/^[\t\x20-\x7e]*$/.test(text)) return [];
  return SUSPICIOUS.flatMap(([kind, pattern]) =>
    [...text.matchAll(pattern)].map(({ index, 0: sign }) => ({
      from: index,
      to: index + sign.length,
      kind: TURNS.test(sign) ? 'direction' : kind,
    })),
  ).toSorted((a, b) => a.from - b.from);
}
