// The checks of a turn, below its answer.

import { checks } from './checks';
import type { RepairEnd } from '$lib/model/shownCheck';
import { number } from '$lib/model/words';

const time = (ms: number) => `${number(Math.round(ms / 1_000))} s`;
const of = (passed: number, all: number, ms: number) => `${number(passed)} of ${number(all)} · ${time(ms)}`;

const ends = (end: RepairEnd | null) => (end === null ? 'the model looks for a fix' : REPAIRED[end]);

const REPAIRED: Record<RepairEnd, string> = {
  passed: 'now the checks pass',
  failed: 'the checks fail still',
  skipped: 'the checks did not run again',
  unchanged: 'nothing was changed',
};

export const turnChecks = {
  running: (command: string, ms: number) => `Checking · ${command} · ${time(ms)}`,
  beginning: 'Checking',
  passed: (passed: number, all: number, ms: number) => `Checks passed · ${of(passed, all, ms)}`,
  failed: (names: readonly string[], passed: number, all: number, ms: number) =>
    `Checks failed: ${names.join(', ')} · ${of(passed, all, ms)}`,
  skipped: (names: readonly string[], why: string | null, ran: string) =>
    [`Checks skipped: ${names.join(', ')}`, why, ran].filter(Boolean).join(' · '),
  ran: of,
  showOf: (line: string) => `${line}. Show the checks`,
  stop: 'Stop',
  fix: 'Ask for a fix',
  fixMessage: (excerpt: string) => `These checks failed. Please fix what they found.\n\n${excerpt}`,
  fixOf: (name: string, command: string, ended: string, fenced: string) =>
    `${name}: \`${command}\`, ${ended}\n\n${fenced}`,
  failedBefore: 'failed before this turn as well',
  statuses: {
    passed: 'passed',
    failed: 'failed',
    timed_out: 'timed out',
    skipped: 'skipped',
    stopped: 'stopped',
  },
  exitCode: (code: number) => `exit code ${code}`,
  why: checks.skipped,
  again: 'Run again',
  /** Where no sandbox holds them, they run only when the person says so. */
  runUnheld: 'Run checks',
  unheld: 'No sandbox holds them here: they run with the rights that you have.',
  ranAgain: 'Run again: ',
  lookAtScripts: (scripts: number) => (scripts === 1 ? 'Look at the changed script' : 'Look at the changed scripts'),
  asAccepted: (names: readonly string[]) =>
    names.length === 1
      ? `The script of ${names.join()} is the accepted one now.`
      : `The scripts of ${names.join(', ')} are the accepted ones now.`,
  removed: (names: readonly string[]) => `No longer a check of this project: ${names.join(', ')}`,
  noneSet: 'None of these checks is set in this project any more, so none ran.',
  repair: (failed: readonly string[], written: readonly string[], end: RepairEnd | null) =>
    [
      'Repair',
      `${failed.join(', ')} failed`,
      ...(written.length > 0 ? [`changed ${written.join(', ')}`] : []),
      ends(end),
    ].join(' · '),
  output: (name: string) => `What ${name} wrote`,
  time,
};
