// The checks of the project that is open, as a person lists, accepts, changes and runs them (V1). Their output is kept here as long as they run.
// Not here: the checks of a turn, which are in its events.

import { SvelteMap } from 'svelte/reactivity';
import { asErrorInfo, ask } from '$lib/backend/backend';
import type { Check } from '$lib/generated/Check';
import type { CheckCommand } from '$lib/generated/CheckCommand';
import type { CheckRun } from '$lib/generated/CheckRun';
import type { CheckScript } from '$lib/generated/CheckScript';
import type { ErrorInfo } from '$lib/generated/ErrorInfo';
import type { ProposedCheck } from '$lib/generated/ProposedCheck';
import type { ProjectChecks } from '$lib/generated/ProjectChecks';
import type { Update } from '$lib/generated/Update';
import type { OrionWindow } from './window.svelte';

/** Characters of output that are shown of a check that runs: its end. */
const OUTPUT = 64 * 1024;

export class Checks {
  /** The checks that were loaded last, and whose they are. */
  found: { projectId: string; checks: ProjectChecks } | null = $state.raw(null);
  /** The output of the checks that run, by their names. */
  output = new SvelteMap<string, string>();
  /** The last run of each that was seen here. */
  runs = new SvelteMap<string, CheckRun>();

  /** The proposals that are offered after a turn that wrote: once in a project, and only where nobody has accepted any. */
  offer: readonly ProposedCheck[] = $derived(
    this.found && !this.found.checks.offered && this.found.checks.checks.length === 0 ? this.found.checks.proposed : [],
  );

  constructor(readonly orion: Pick<OrionWindow, 'backend' | 'problem' | 'submit'>) {}

  of(projectId: string | null): ProjectChecks | null {
    return this.found?.projectId === projectId ? this.found.checks : null;
  }

  async load(projectId: string): Promise<void> {
    try {
      const { checks } = await ask(this.orion.backend, { type: 'checks', projectId });
      if (this.found?.projectId !== projectId) {
        this.output.clear();
        this.runs.clear();
      }
      this.found = { projectId, checks };
    } catch (thrown) {
      this.orion.problem(thrown);
    }
  }

  take(updates: readonly Update[]): void {
    const { projectId } = this.found ?? { projectId: null };
    let changed = false;
    for (const update of updates) {
      if (update.type === 'checks' && update.projectId === projectId) changed = true;
      if (update.type === 'check_output' && update.projectId === projectId)
        this.output.set(update.name, ((this.output.get(update.name) ?? '') + update.text).slice(-OUTPUT));
    }
    if (changed && projectId !== null) void this.load(projectId);
  }

  /** The script behind a command; the reason where it cannot be one. */
  async script(projectId: string, command: CheckCommand): Promise<CheckScript | ErrorInfo> {
    try {
      return (await ask(this.orion.backend, { type: 'check_script', projectId, command })).script;
    } catch (thrown) {
      return asErrorInfo(thrown);
    }
  }

  /** Keeps a check with the script that was seen. Null where it is kept, else the reason. */
  async save(projectId: string, check: Check, was: string | null, script: CheckScript): Promise<ErrorInfo | null> {
    this.output.delete(check.name);
    try {
      const op = { type: 'save_check', projectId, check, was, script: script.sha256 } as const;
      this.#ran(await this.orion.backend.submit(op));
      return null;
    } catch (thrown) {
      return asErrorInfo(thrown);
    }
  }

  /** Switches a check on or off. Where its script has changed, that has to be accepted first. */
  async turn(projectId: string, check: Check, script: CheckScript): Promise<void> {
    const refused = await this.save(projectId, check, check.name, script);
    if (refused) this.orion.problem(refused);
    // The switch shows what is kept.
    await this.load(projectId);
  }

  async remove(projectId: string, name: string): Promise<void> {
    await this.orion.submit({ type: 'remove_check', projectId, name });
  }

  /** Runs a check because the person asked for it. */
  async run(projectId: string, name: string): Promise<void> {
    await this.runThese(projectId, [name]);
  }

  /** Runs checks because the person asked for it, one after the other. Null where they could not, which the window tells. */
  async runThese(projectId: string, names: readonly string[]): Promise<readonly CheckRun[] | null> {
    names.forEach((name) => this.output.delete(name));
    const outcome = await this.orion.submit({ type: 'run_checks', projectId, names: [...names] });
    this.#ran(outcome);
    return outcome?.type === 'checked' ? outcome.runs : null;
  }

  async stop(projectId: string): Promise<void> {
    await this.orion.submit({ type: 'stop_checks', projectId });
  }

  /** The proposals were offered: they are not offered again. */
  async offered(projectId: string): Promise<void> {
    await this.orion.submit({ type: 'offered_checks', projectId });
  }

  #ran(outcome: Awaited<ReturnType<OrionWindow['submit']>>): void {
    if (outcome?.type === 'checked') for (const run of outcome.runs) this.runs.set(run.name, run);
  }
}
