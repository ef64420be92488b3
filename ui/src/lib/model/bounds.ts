// The most a turn can cost (T4), before it starts. Mirrors `Policy::of` and `Bounds::of` of orion-protocol, so that the
// composer can show the three numbers while a person moves the budgets; the core's own bounds come with `turn_started`.

import type { Bounds } from '$lib/generated/Bounds';
import type { Route } from '$lib/generated/Route';
import type { TurnLimits } from '$lib/generated/TurnLimits';

/** Source: `Policy::MAX_CYCLES`, `Policy::MAX_TOOLS`, `Policy::MAX_DUPLICATES`. */
export const LIMITS = {
  maxCycles: { min: 0, max: 24 },
  maxTools: { min: 1, max: 32 },
  maxDuplicates: { min: 1, max: 24 },
} as const;

/** Source: `Policy::max_write_prompts`; a cycle opens one write session at most. */
const WRITE_PROMPTS = 16;

export type Budget = { [K in keyof TurnLimits]: number };

const DEFAULTS: Record<Route, Budget> = {
  two_stage: { maxCycles: 3, maxTools: 1, maxDuplicates: 3 },
  unified: { maxCycles: LIMITS.maxCycles.max, maxTools: LIMITS.maxTools.max, maxDuplicates: 3 },
};

export const NO_LIMITS: TurnLimits = { maxCycles: null, maxTools: null, maxDuplicates: null };

/** The budgets a turn would have: the later of `limits` that says a number wins, and each is moved into its range. */
export function budgetOf(route: Route, ...limits: TurnLimits[]): Budget {
  const of = (key: keyof TurnLimits): number => {
    const said = limits.reduce<number | null>((value, limit) => limit[key] ?? value, null) ?? DEFAULTS[route][key];
    return Math.min(Math.max(said, LIMITS[key].min), LIMITS[key].max);
  };
  return { maxCycles: of('maxCycles'), maxTools: of('maxTools'), maxDuplicates: of('maxDuplicates') };
}

/** True when some number of `budget` is less than in `other`. */
export function isLower(budget: Budget, other: Budget): boolean {
  return budget.maxCycles < other.maxCycles || budget.maxTools < other.maxTools || budget.maxDuplicates < other.maxDuplicates;
}

export function boundsOf(route: Route, budget: Budget): Bounds {
  // In the unified route a refused duplicate spends its cycle, so it adds no model call.
  const refused = budget.maxCycles === 0 || route === 'unified' ? 0 : Math.max(budget.maxDuplicates - 1, 0);
  return {
    modelCalls: budget.maxCycles + 1 + refused,
    toolRuns: budget.maxCycles * budget.maxTools,
    writePrompts: budget.maxCycles * WRITE_PROMPTS,
  };
}
