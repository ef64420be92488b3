// Turns whose checks run, pass, fail and are repaired (V1–V3).

import type { CheckRun } from '$lib/generated/CheckRun';
import type { CheckSkipped } from '$lib/generated/CheckSkipped';
import type { CommandRun } from '$lib/generated/CommandRun';
import type { TurnIds } from '$lib/generated/TurnIds';
import type { Draft } from './desk';
import { EDIT_FOX } from './drafts';
import { YES } from './recorded';
import type { Recording } from './recording';
import type { Script } from './scripts';
import { opening, proposing } from './writeScripts';

const SHA = 'c'.repeat(64);
const TESTS = { name: 'cargo-test', line: 'cargo test --workspace' };
const LINT = { name: 'npm-run-lint', line: 'npm run lint' };

/** The file that a check changed. */
const FORMATTED: Partial<CommandRun> = { changed: [{ path: 'src/lint.css', change: 'changed', added: 1, removed: 1 }] };

const BROKEN = `running 14 tests
test fox::jumps ... ok
test fox::is_patient ... FAILED

failures:

---- fox::is_patient stdout ----
assertion \`left == right\` failed
  left: 3
 right: 5

test result: FAILED. 13 passed; 1 failed; finished in 0.04s
`;

const ran = (line: string, code: number, durationMs: number, more: Partial<CommandRun> = {}): CommandRun => ({
  line,
  folder: '.',
  level: 'full',
  ended: { type: 'exited', code },
  durationMs,
  bytes: 412,
  sha256: SHA,
  keptBytes: 412,
  ...more,
});

const passed = ({ name, line }: typeof TESTS, durationMs: number, more: Partial<CommandRun> = {}): CheckRun => ({
  name,
  status: 'passed',
  scriptSha256: SHA,
  excerpt: 'All of it passed.\n',
  command: ran(line, 0, durationMs, more),
});

const failed = ({ name, line }: typeof TESTS, durationMs: number): CheckRun => ({
  name,
  status: 'failed',
  scriptSha256: SHA,
  excerpt: BROKEN,
  command: ran(line, 101, durationMs),
});

const changed: Script = (ids, text, startMs) => {
  const written = proposing(EDIT_FOX, 1)(ids, text, startMs).answered(YES).wrote('written');
  return written
    .action()
    .wait(100)
    .say('The fox takes its patience from the configuration now.')
    .end('answered', 'stop');
};

const tests = (recording: Recording, attempt: number, run: CheckRun, failedBefore = false) =>
  recording
    .check(TESTS.name, TESTS.line, attempt)
    .wait(run.command?.durationMs ?? 0)
    .checked(run, attempt, failedBefore);

const lints = (recording: Recording, attempt: number, run: CheckRun) =>
  recording
    .check(LINT.name, LINT.line, attempt)
    .wait(run.command?.durationMs ?? 0)
    .checked(run, attempt);

/** The first of two runs. */
export const checksRunning: Script = (ids, text, startMs) =>
  changed(ids, text, startMs)
    .checks()
    .wait(20)
    .check(TESTS.name, TESTS.line, 1)
    .wait(900)
    .event({ type: 'check_output', name: TESTS.name, offset: 0, text: 'running 14 tests\ntest fox::jumps ... ok\n' });

/** The second one changed a file. */
export const checksPassed: Script = (ids, text, startMs) =>
  lints(tests(changed(ids, text, startMs).checks(), 1, passed(TESTS, 12_400)), 1, passed(LINT, 1_600, FORMATTED))
    .end('checks_done')
    .completed();

/** One failed that was red before, so nothing is repaired. */
export const checksFailed: Script = (ids, text, startMs) =>
  lints(tests(changed(ids, text, startMs).checks(), 1, failed(TESTS, 9_300), true), 1, passed(LINT, 1_600))
    .end('checks_done')
    .completed();

const skipped =
  (why: CheckSkipped): Script =>
  (ids, text, startMs) => {
    const run: CheckRun = { name: TESTS.name, status: 'skipped', skipped: why, scriptSha256: SHA, excerpt: '' };
    return tests(changed(ids, text, startMs).checks(), 1, run)
      .end('checks_done')
      .completed();
  };

/** Its script is another one than the person accepted. */
export const checksSkipped = skipped('script_changed');

/** No sandbox holds it, so it does not run by itself. */
export const checksUnheld = skipped('no_sandbox');

/** The check that the turn broke is repaired, and passes then. */
export const checksRepaired: Script = (ids: TurnIds, text: string, startMs: number) => {
  const broke = tests(changed(ids, text, startMs).checks(), 1, failed(TESTS, 9_300)).end('checks_done');
  const draft: Draft = { ...EDIT_FOX, intent: 'Keep the patience that the test expects.' };
  const asks = broke.action().wait(200).say('The test expects the old patience as the default. I put it back.');
  const written = opening(asks, draft).content(draft.text, 64, 1).end('answered', 'stop').wait(60).propose();
  return tests(written.answered(YES).wrote('written').checks(), 2, passed(TESTS, 12_100))
    .end('checks_done')
    .completed();
};
