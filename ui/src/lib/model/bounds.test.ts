// The same numbers as `Bounds::of(&Policy::of(route, limits))` in orion-protocol: the table was printed by those functions.

import { expect, test } from 'vitest';
import type { Mode } from '$lib/generated/Mode';
import type { Route } from '$lib/generated/Route';
import type { TurnLimits } from '$lib/generated/TurnLimits';
import { boundsOf, budgetOf, limitsOf, lowers, NO_LIMITS, ofMode, ofRoutes } from './bounds';

/** route, cycles, tools, duplicates as asked for; model calls, tool runs, write prompts as the core computes them. */
const TABLE: [Route, number | null, number | null, number | null, number, number, number][] = [
  ['two_stage', null, null, null, 21, 8, 128],
  ['two_stage', 0, null, null, 3, 0, 0],
  ['two_stage', 1, 1, 1, 5, 1, 16],
  ['two_stage', 3, 1, 1, 9, 3, 48],
  ['two_stage', 5, 2, 3, 15, 10, 80],
  ['two_stage', 2, 5, 24, 30, 10, 32],
  ['two_stage', 24, 32, 24, 74, 768, 384],
  ['two_stage', 99, 99, 99, 74, 768, 384],
  ['two_stage', 0, 0, 0, 3, 0, 0],
  ['two_stage', null, 4, null, 21, 32, 128],
  ['two_stage', null, null, 8, 26, 8, 128],
  ['unified', null, null, null, 25, 768, 384],
  ['unified', 0, null, null, 1, 0, 0],
  ['unified', 1, 1, 1, 2, 1, 16],
  ['unified', 3, 1, 1, 4, 3, 48],
  ['unified', 5, 2, 3, 6, 10, 80],
  ['unified', 2, 5, 24, 3, 10, 32],
  ['unified', 24, 32, 24, 25, 768, 384],
  ['unified', 99, 99, 99, 25, 768, 384],
  ['unified', 0, 0, 0, 1, 0, 0],
  ['unified', null, 4, null, 25, 96, 384],
  ['unified', null, null, 8, 25, 768, 384],
];

test.each(TABLE)(
  'T4: %s with %s cycles, %s tools and %s duplicates has the bounds of the core',
  (route, maxCycles, maxTools, maxDuplicates, modelCalls, toolRuns, writePrompts) => {
    expect(boundsOf(route, budgetOf(route, { ...NO_LIMITS, maxCycles, maxTools, maxDuplicates }))).toMatchObject({
      modelCalls,
      toolRuns,
      writePrompts,
    });
  },
);

test('P3: a limit of the turn wins over one of the settings, and null wins over nothing', () => {
  const settings = { ...NO_LIMITS, maxCycles: 5, maxTools: 2, maxDuplicates: null };
  const turn = { ...NO_LIMITS, maxCycles: 1, maxTools: null, maxDuplicates: null };
  expect(budgetOf('two_stage', settings, turn)).toMatchObject({ maxCycles: 1, maxTools: 2, maxDuplicates: 3 });
  expect(budgetOf('two_stage', NO_LIMITS)).toEqual({
    maxCycles: 8,
    maxTools: 1,
    maxDuplicates: 3,
    maxOutputTokens: 32_768,
    maxThinkingTokens: null,
    maxFileBytes: 8_388_608,
    maxSeconds: 1_800,
    maxCommandSeconds: null,
    maxCostUsd: null,
  });
});

test('P3: where no command can be run, in plan mode, a turn has 3 steps unless somebody set a number', () => {
  const steps = (route: Route, mode: Mode, limits = NO_LIMITS) =>
    budgetOf(route, ofMode(route, mode), limits).maxCycles;
  expect([steps('two_stage', 'act'), steps('two_stage', 'plan')]).toEqual([8, 3]);
  expect([steps('unified', 'act'), steps('unified', 'plan')]).toEqual([24, 24]);
  expect(steps('two_stage', 'plan', { ...NO_LIMITS, maxCycles: 5 })).toBe(5);
  expect(limitsOf(ofRoutes(NO_LIMITS), 'two_stage', 'plan').maxCycles).toBe(3);
  expect(limitsOf(ofRoutes({ ...NO_LIMITS, maxCycles: 5 }), 'two_stage', 'plan').maxCycles).toBe(5);
});

test('P3: a project lowers the limits when a number that it asked for is in force, and lower than without it', () => {
  const without = budgetOf('two_stage', NO_LIMITS);
  const asks = (asked: Partial<TurnLimits>, inForce: Partial<TurnLimits>) =>
    lowers({ ...NO_LIMITS, ...asked }, { ...without, ...inForce }, without);
  expect(asks({}, {})).toBe(false);
  expect(asks({ maxCycles: 2 }, { maxCycles: 2 })).toBe(true);
  // Zero is a number.
  expect(asks({ maxTools: 0 }, { maxTools: 0 })).toBe(true);
  // It limits what has no limit.
  expect(asks({ maxCostUsd: 0.5 }, { maxCostUsd: 0.5 })).toBe(true);
  // It asks for as much as there is, or for more.
  expect(asks({ maxCycles: 8 }, {})).toBe(false);
  expect(asks({ maxCycles: 12 }, {})).toBe(false);
  // The person denied commands: 3 steps in act mode, although nobody set a number.
  expect(asks({}, { maxCycles: 3 })).toBe(false);
  expect(asks({ maxCycles: 5 }, { maxCycles: 3 })).toBe(false);
});

test('T7: tokens and seconds are bounded too, as the core computes them', () => {
  const limits = { ...NO_LIMITS, maxOutputTokens: 1_001, maxFileBytes: 4_001, maxSeconds: 60 };
  expect(boundsOf('two_stage', budgetOf('two_stage', { ...limits, maxCycles: 3 }))).toEqual({
    modelCalls: 11,
    toolRuns: 3,
    writePrompts: 48,
    furtherRequests: 236,
    outputTokens: 91_590,
    seconds: 60,
    costUsd: null,
  });
});

test('X4: a summary before a cut is one more call, and in the unified route one of those that steps have', () => {
  const calls = (route: Route, sumsUp: boolean) => boundsOf(route, budgetOf(route, NO_LIMITS), sumsUp).modelCalls;
  expect([
    calls('two_stage', true),
    calls('two_stage', false),
    calls('unified', true),
    calls('unified', false),
  ]).toEqual([22, 21, 25, 25]);
});

test('P7: a response that is asked for once more is one more call, and in the unified route one of those that steps have', () => {
  const calls = (route: Route) => boundsOf(route, budgetOf(route, { ...NO_LIMITS, maxCycles: 0 })).modelCalls;
  // An answer, a further try where the conversation is too long, and the second chance.
  expect([calls('two_stage'), calls('unified')]).toEqual([3, 1]);
});
