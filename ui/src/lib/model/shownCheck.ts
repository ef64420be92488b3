// The checks of a turn as they are shown: the shape alone. Deliberately not here: how they come about and come out (`turnChecks`).

import type { CheckRun } from '$lib/generated/CheckRun';
import type { Evaluation } from '$lib/generated/Evaluation';

/** One check in one of its attempts. */
export interface ShownCheck {
  name: string;
  /** Its command; empty for one that did not begin. */
  command: string;
  sinceMs: number;
  /** The last of what it has shown while it runs. */
  output: string;
  failedBefore: boolean;
  /** Null while it runs. */
  run: CheckRun | null;
}

/** The checks of one attempt. */
export interface ShownChecks {
  checks: readonly ShownCheck[];
  /** They run. */
  open: boolean;
  /** The outcome of the last attempt by the report, once there is one. */
  evaluation?: Evaluation | null;
}

/** The end of a repair: the checks passed, failed again, did not run again, or nothing was changed. */
export type RepairEnd = 'passed' | 'failed' | 'skipped' | 'unchanged';
