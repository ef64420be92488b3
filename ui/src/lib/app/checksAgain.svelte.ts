// The checks of a turn, as a person runs them once more, and what came of that. Not here: the checks of the turn itself, which are in its events.

import type { CheckRun } from '$lib/generated/CheckRun';
import { lineOf } from '$lib/model/checks';
import type { ShownCheck, ShownChecks } from '$lib/model/shownCheck';
import type { Checks } from './checks.svelte';

export class ChecksAgain {
  #runs: readonly CheckRun[] | null = $state.raw(null);
  #sinceMs: number | null = $state.raw(null);
  /** None of them is set any more, so none ran. */
  noneSet = $state(false);

  constructor(
    readonly checks: Checks,
    readonly projectId: string,
  ) {}

  /** The checks as they run, or as they ran. Null before that. */
  get shown(): ShownChecks | null {
    if (this.#sinceMs !== null) return { checks: this.#running(this.#sinceMs), open: true };
    return this.#runs && { checks: this.#runs.map(ended), open: false };
  }

  /** Runs these checks. Where they cannot run, the window says why. */
  async run(names: readonly string[]): Promise<void> {
    this.#sinceMs = Date.now();
    this.noneSet = false;
    await this.checks.load(this.projectId);
    const runs = await this.checks.runThese(this.projectId, names);
    this.noneSet = runs?.length === 0;
    this.#runs = this.noneSet ? null : runs;
    this.#sinceMs = null;
  }

  stop(): void {
    void this.checks.stop(this.projectId);
  }

  #running(sinceMs: number): ShownCheck[] {
    const now = this.checks.of(this.projectId)?.checks.find(({ running }) => running);
    if (!now) return [];
    const { name, command } = now.check;
    const output = this.checks.output.get(name) ?? '';
    return [{ name, command: lineOf(command), sinceMs, output, failedBefore: false, run: null }];
  }
}

const ended = (run: CheckRun): ShownCheck => ({
  name: run.name,
  command: run.command?.line ?? '',
  sinceMs: 0,
  output: '',
  failedBefore: false,
  run,
});
