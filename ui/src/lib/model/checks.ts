// A check as it is shown and typed: its line, its bounds, and its end.

import type { Check } from '$lib/generated/Check';
import type { CheckBounds } from '$lib/generated/CheckBounds';
import type { CheckCommand } from '$lib/generated/CheckCommand';
import type { CheckScript } from '$lib/generated/CheckScript';
import type { Turn } from './turn';

/** True of a turn that has written a file, or whose command changed one. */
export const changedAFile = (turn: Turn): boolean =>
  turn.items.some(
    (item) =>
      (item.kind === 'write' && item.stage.kind === 'done' && item.stage.outcome.status === 'written') ||
      (item.kind === 'tool' && (item.outcome?.command?.changed ?? []).length > 0),
  );

/** The command on one line. A program with its words is shown as the list that it is. */
export function lineOf(command: CheckCommand): string {
  return typeof command === 'string' ? command : JSON.stringify(command);
}

/** The fields of a check while they are typed. */
export interface CheckDraft {
  name: string;
  line: string;
  seconds: number | null;
  /** One glob on each line. */
  paths: string;
}

export const draftOf = (check: Check | null, { seconds }: CheckBounds): CheckDraft =>
  check === null
    ? { name: '', line: '', seconds, paths: '' }
    : {
        name: check.name,
        line: lineOf(check.command),
        seconds: check.timeoutS,
        paths: (check.paths ?? []).join('\n'),
      };

/** The command that was typed. One that is not touched stays what it was. */
export const commandOf = (draft: CheckDraft, check: Check | null): CheckCommand =>
  check !== null && lineOf(check.command) === draft.line ? check.command : draft.line;

export const checkOf = (draft: CheckDraft, check: Check | null): Check => ({
  name: draft.name.trim(),
  command: commandOf(draft, check),
  timeoutS: draft.seconds ?? 0,
  paths: draft.paths
    .split('\n')
    .map((path) => path.trim())
    .filter((path) => path !== ''),
  on: check?.on ?? true,
});

/** A part of two scripts side by side. A side on which it is not has no text. */
export interface ChangedPart {
  from: string;
  before: string | null;
  now: string | null;
}

/** The parts of two scripts side by side, by the places that they are from: what is gone, new, another, or not shown whole. */
export function changedParts(before: CheckScript, now: CheckScript): ChangedPart[] {
  const partIn = (script: CheckScript, from: string) => script.parts.find((part) => part.from === from);
  const places = new Set([...before.parts, ...now.parts].map(({ from }) => from));
  const parts = [...places].map((from) => ({ from, was: partIn(before, from), is: partIn(now, from) }));
  const changed = parts.filter(({ was, is }) => was?.text !== is?.text || was?.cut === true || is?.cut === true);
  // Where only what is not shown differs, all of it is shown.
  return (changed.length > 0 ? changed : parts).map(({ from, was, is }) => ({
    from,
    before: was?.text ?? null,
    now: is?.text ?? null,
  }));
}

/** All of a script is shown, so it can be accepted (A3). */
export const isWhole = (script: CheckScript): boolean => script.parts.every(({ cut }) => !cut);
