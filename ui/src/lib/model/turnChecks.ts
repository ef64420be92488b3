// The checks of a turn as they are shown: one item for each time that they run (V1, V2). Pure.

import type { CheckReport } from '$lib/generated/CheckReport';
import type { CheckRun } from '$lib/generated/CheckRun';
import type { CheckSkipped } from '$lib/generated/CheckSkipped';
import type { Evaluation } from '$lib/generated/Evaluation';
import type { TurnReport } from '$lib/generated/TurnReport';
import { drawn, lastLines } from './output';
import type { ShownCheck, ShownChecks } from './shownCheck';

/** Characters of a running check's output that are kept. */
const OUTPUT = 16_384;

export const NO_CHECKS: ShownChecks = { checks: [], open: true };

export function beginCheck(of: ShownChecks, name: string, command: string, sinceMs: number): ShownChecks {
  return { ...of, checks: [...of.checks, { name, command, sinceMs, output: '', failedBefore: false, run: null }] };
}

export function showCheckOutput(of: ShownChecks, name: string, text: string): ShownChecks {
  const checks = of.checks.map((check) =>
    check.name === name && check.run === null ? { ...check, output: drawn(check.output + text).slice(-OUTPUT) } : check,
  );
  return { ...of, checks };
}

export function endCheck(of: ShownChecks, run: CheckRun, failedBefore: boolean, atMs: number): ShownChecks {
  const { checks } = of;
  const at = checks.findIndex((check) => check.name === run.name && check.run === null);
  const known = checks[at];
  if (known) return { ...of, checks: checks.with(at, { ...known, output: '', failedBefore, run }) };
  const command = run.command?.line ?? '';
  return { ...of, checks: [...checks, { name: run.name, command, sinceMs: atMs, output: '', failedBefore, run }] };
}

export function endChecks(of: ShownChecks): ShownChecks {
  return of.open ? { ...of, open: false } : of;
}

/** The checks of a report that no event told of: those that a limit left out (T7). Null where there are none. */
export function leftOut(
  { checks, evaluation }: TurnReport,
  seen: ReadonlySet<string>,
  atMs: number,
): ShownChecks | null {
  const unseen = (checks ?? []).filter(({ name }) => !seen.has(name));
  if (unseen.length === 0) return null;
  return { checks: unseen.map((check) => ofReport(check, atMs)), open: false, evaluation };
}

function ofReport({ name, command, status, reason, failedBefore }: CheckReport, sinceMs: number): ShownCheck {
  const run: CheckRun = { name, status, ...(reason && { skipped: reason }), scriptSha256: '', excerpt: '' };
  return { name, command, sinceMs, output: '', failedBefore, run };
}

/** The check that runs. */
export function runningCheck({ checks }: ShownChecks): ShownCheck | null {
  return checks.find(({ run }) => run === null) ?? null;
}

export function failedIn({ checks }: ShownChecks): ShownCheck[] {
  return checks.filter(({ run }) => run?.status === 'failed' || run?.status === 'timed_out');
}

/** The names of those that did not run for this reason. */
export function skippedFor({ checks }: ShownChecks, why: CheckSkipped): string[] {
  return checks.filter(({ run }) => run?.skipped === why).map(({ name }) => name);
}

export function passedIn({ checks }: ShownChecks): number {
  return checks.filter(({ run }) => run?.status === 'passed').length;
}

/** The outcome of all of them together; null while one runs. The report knows, and before its time one that was stopped is no outcome. */
export function outcomeOf(of: ShownChecks): Evaluation | null {
  if (of.open) return null;
  if (of.evaluation) return of.evaluation;
  if (of.checks.some(({ run }) => run?.status === 'stopped' || run?.skipped === 'stopped')) return 'skipped';
  if (failedIn(of).length > 0) return 'failed';
  return of.checks.length > 0 && passedIn(of) === of.checks.length ? 'passed' : 'skipped';
}

export function millisecondsOf({ checks }: ShownChecks): number {
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
