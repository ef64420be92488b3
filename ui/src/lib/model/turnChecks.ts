// The checks of a turn as they are shown: one item for each time that they run (V1, V2). Pure.

import type { CheckRun } from '$lib/generated/CheckRun';
import { insert, type Item, type ItemOf } from './item';
import { drawn, lastLines } from './output';
import type { ShownCheck } from './shownCheck';

export type ChecksItem = ItemOf<'checks'>;

/** Characters of a running check's output that are kept. */
const OUTPUT = 16_384;

export function beginChecks(items: readonly Item[], seq: number): readonly Item[] {
  return insert(items, { kind: 'checks', seq, checks: [], open: true });
}

export function beginCheck(items: readonly Item[], name: string, command: string, sinceMs: number): readonly Item[] {
  return change(items, (checks) => [...checks, { name, command, sinceMs, output: '', failedBefore: false, run: null }]);
}

export function showCheckOutput(items: readonly Item[], name: string, text: string): readonly Item[] {
  return change(items, (checks) =>
    checks.map((check) =>
      check.name === name && check.run === null
        ? { ...check, output: drawn(check.output + text).slice(-OUTPUT) }
        : check,
    ),
  );
}

export function endCheck(items: readonly Item[], run: CheckRun, failedBefore: boolean, atMs: number): readonly Item[] {
  return change(items, (checks) => {
    const at = checks.findIndex((check) => check.name === run.name && check.run === null);
    const known = checks[at];
    if (known) return checks.with(at, { ...known, output: '', failedBefore, run });
    const command = run.command?.line ?? '';
    return [...checks, { name: run.name, command, sinceMs: atMs, output: '', failedBefore, run }];
  });
}

export function endChecks(items: readonly Item[]): readonly Item[] {
  return items.map((item) => (item.kind === 'checks' && item.open ? { ...item, open: false } : item));
}

function change(items: readonly Item[], to: (checks: readonly ShownCheck[]) => readonly ShownCheck[]): readonly Item[] {
  const at = items.findLastIndex((item) => item.kind === 'checks');
  const item = items[at];
  return item?.kind === 'checks' ? items.with(at, { ...item, checks: to(item.checks) }) : items;
}

/** The check that runs. */
export function runningCheck({ checks }: ChecksItem): ShownCheck | null {
  return checks.find(({ run }) => run === null) ?? null;
}

export function failedIn({ checks }: ChecksItem): ShownCheck[] {
  return checks.filter(({ run }) => run?.status === 'failed' || run?.status === 'timed_out');
}

export function passedIn({ checks }: ChecksItem): number {
  return checks.filter(({ run }) => run?.status === 'passed').length;
}

/** How all of them together came out; null while one runs. */
export function outcomeOf(item: ChecksItem): 'passed' | 'failed' | 'skipped' | null {
  if (item.open) return null;
  if (failedIn(item).length > 0) return 'failed';
  return item.checks.length > 0 && passedIn(item) === item.checks.length ? 'passed' : 'skipped';
}

export function millisecondsOf({ checks }: ChecksItem): number {
  return checks.reduce((sum, { run }) => sum + (run?.command?.durationMs ?? 0), 0);
}

/** A text in a fence that is longer than any run of backticks in it. */
export function fenced(text: string): string {
  const runs = text.match(/`+/g) ?? [];
  const fence = '`'.repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
  return `${fence}\n${text.replace(/\n$/, '')}\n${fence}`;
}

/** The text below the name of a check: what it writes, or the excerpt of what it wrote. */
export function textOf({ output, run }: ShownCheck): string {
  return run === null ? lastLines(output) : (run.excerpt ?? '');
}
