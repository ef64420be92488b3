// The one repair of a turn as it is told: what failed, what the model changed for it, and what came of that (V2). Pure.

import type { Item } from './item';
import type { RepairEnd, ShownChecks } from './shownCheck';
import type { Turn } from './turn';
import { outcomeOf } from './turnChecks';

export interface Repair {
  /** The names of the checks that failed. */
  failed: readonly string[];
  /** The paths that were written for it. */
  written: readonly string[];
  /** Null while it is under way. */
  end: RepairEnd | null;
}

type Of = Pick<Turn, 'items' | 'phaseSeqs' | 'end'>;
type Checks = Item & { kind: 'checks' };

const isChecks = (item: Item): item is Checks => item.kind === 'checks';

/** The repair as it is told below these checks: the last ones of a turn that has one. */
export function repairAt(turn: Of, below: Item): Repair | null {
  const [first, second] = turn.items.filter(isChecks);
  if (first === undefined || below !== (second ?? first)) return null;
  // Nothing but a repair follows the first time that checks run.
  const begun = turn.phaseSeqs.find((seq) => seq > first.seq);
  if (begun === undefined || (second !== undefined && begun >= second.seq)) return null;
  const written = turn.items.flatMap((item) =>
    item.seq > first.seq &&
    item.kind === 'write' &&
    item.stage.kind === 'done' &&
    item.stage.outcome.status === 'written'
      ? [item.path]
      : [],
  );
  const failed = first.checks.filter(({ run, failedBefore }) => run?.status === 'failed' && !failedBefore);
  return { failed: failed.map(({ name }) => name), written, end: endOf(turn, second ?? null, written.length > 0) };
}

function endOf({ end }: Of, second: ShownChecks | null, changed: boolean): RepairEnd | null {
  if (second !== null) return outcomeOf(second);
  if (end === null) return null;
  return changed ? 'skipped' : 'unchanged';
}
