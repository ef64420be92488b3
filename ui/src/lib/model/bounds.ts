// The most a turn can cost (T4), before it starts. Mirrors `Policy::of` and `Bounds::of` of orion-protocol, so that the
// composer can show the three numbers while a person moves the budgets; the core's own bounds come with `turn_started`.

import type { Bounds } from '$lib/generated/Bounds';
import type { Mode } from '$lib/generated/Mode';
import type { Route } from '$lib/generated/Route';
import type { RouteLimits } from '$lib/generated/RouteLimits';
import { SETTINGS } from '$lib/generated/form';
import type { SettingsChange } from '$lib/generated/SettingsChange';
import type { TurnLimits } from '$lib/generated/TurnLimits';

/** The declared settings of the table `limits`: the numbers of a budget. */
export const LIMITS = SETTINGS.filter((setting) => setting.table === 'limits');

/** Source: `Bounds::FURTHER_REQUESTS`. */
const FURTHER_REQUESTS = 4;

/** Source: `Policy::max_write_prompts`; a cycle opens one write session at most. */
const WRITE_PROMPTS = 16;

/** Source: `Policy::further_tries`: a call is made once more when the provider says that it is too long (X5). */
const FURTHER_TRIES = 1;

/** Source: `Policy::SECOND_CHANCES`: a response without an answer is asked for once more (P7). */
const SECOND_CHANCES = 1;

/** The steps that a person is offered: a look, some work, and as many as a turn may have (P2, P3). */
export const STEPS = [3, 8, 24] as const;

/** The limits that have no default of their own: nothing limits the cost, reasoning has a share of an answer, and a command has two minutes (C4). */
type Unset = 'maxCommandSeconds' | 'maxCostUsd' | 'maxThinkingTokens';

/** The numbers of a budget. */
export type Budget = { [K in Exclude<keyof TurnLimits, Unset>]: number } & { [K in Unset]: number | null };

export const NO_LIMITS = Object.fromEntries(LIMITS.map(({ key }) => [key, null])) as unknown as TurnLimits;

/** Limits that set nothing but the steps of a turn without commands, where nothing else sets them (P3). Source: `Policy::offering`. */
const NO_COMMANDS: TurnLimits = { ...NO_LIMITS, maxCycles: STEPS[0] };

/** Limits that set nothing. */
export const NO_CHANGE = {
  ...Object.fromEntries(SETTINGS.filter((setting) => setting.table === null).map(({ key }) => [key, null])),
  defaultEndpoint: null,
  limits: NO_LIMITS,
  commands: Object.fromEntries(SETTINGS.filter(({ table }) => table === 'commands').map(({ key }) => [key, null])),
} as unknown as SettingsChange;

/** The budgets that a turn would have: of several `limits` that set a number the last wins, and each is moved into its range. */
export function budgetOf(route: Route, ...limits: TurnLimits[]): Budget {
  const numbers = LIMITS.map(({ key, min, max, defaults }) => {
    const said = limits.reduce<number | null>((value, limit) => limit[key] ?? value, null) ?? defaults[route];
    return [key, said === null ? null : Math.min(Math.max(said, min), max)] as const;
  });
  return Object.fromEntries(numbers) as unknown as Budget;
}

/** The limits of a route in a mode that nobody set, where they are not the route's own. */
export const ofMode = (route: Route, mode: Mode): TurnLimits =>
  route === 'two_stage' && mode === 'plan' ? NO_COMMANDS : NO_LIMITS;

/** The limits in force on a route in a mode. */
export const limitsOf = (limits: RouteLimits, route: Route, mode: Mode): TurnLimits =>
  route === 'two_stage' && mode === 'plan' ? limits.plan : limits[route];

/** The limits of each route, where these are set for all. */
export const ofRoutes = (limits: TurnLimits): RouteLimits => ({
  two_stage: limits,
  plan: { ...limits, maxCycles: limits.maxCycles ?? NO_COMMANDS.maxCycles },
  unified: limits,
});

/**
 * True when a number that a project asked for is in force, and is lower than the one `without` the project. A number in force that nobody asked for
 * is the core's own: a person who lets no command run has fewer steps (P3).
 */
export function lowers(asked: TurnLimits, inForce: TurnLimits, without: Budget): boolean {
  return LIMITS.some(({ key }) => {
    const wanted = asked[key];
    return wanted !== null && wanted === inForce[key] && wanted < (without[key] ?? Infinity);
  });
}

/** `sumsUp`: the model may sum the conversation up before a cut (X4). The seconds of commands are the core's alone: it knows whether any can be run. */
export function boundsOf(route: Route, budget: Budget, sumsUp = false): Bounds {
  // In the unified route a refused duplicate spends its cycle, so it adds no model call.
  const refused = budget.maxCycles === 0 || route === 'unified' ? 0 : Math.max(budget.maxDuplicates - 1, 0);
  // P2: in the unified route each of these is one of the calls that cycles have.
  const further = route === 'unified' ? 0 : FURTHER_TRIES;
  const second = route === 'unified' ? 0 : SECOND_CHANCES;
  // X6: a read that an earlier result answers spends no cycle there, and as many as cycles are.
  const reused = route === 'unified' ? 0 : budget.maxCycles;
  const summaries = route === 'unified' || !sumsUp ? 0 : 1;
  const modelCalls = budget.maxCycles + 1 + refused + further + second + reused + summaries;
  const writePrompts = budget.maxCycles * WRITE_PROMPTS;
  // T7: an answer is cut off at 6 bytes for each token of its limit. A message of a write session may bring as much beside the content.
  const answers = Math.ceil(((modelCalls + writePrompts) * budget.maxOutputTokens * 6) / 4);
  const files = Math.ceil((budget.maxCycles * budget.maxFileBytes) / 4);
  return {
    modelCalls,
    toolRuns: budget.maxCycles * budget.maxTools,
    writePrompts,
    furtherRequests: (modelCalls + writePrompts) * FURTHER_REQUESTS,
    outputTokens: answers + files,
    seconds: budget.maxSeconds,
    // The core knows the price.
    costUsd: null,
  };
}
