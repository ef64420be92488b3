// One check of a turn as it is shown. Deliberately not here: those of a turn together (`turnChecks`).

import type { CheckRun } from '$lib/generated/CheckRun';

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
