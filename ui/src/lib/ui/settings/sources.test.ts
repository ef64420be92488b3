import { expect, test } from 'vitest';
import { inForce, settings as fixture } from '$lib/backend/replay/fixtures';
import type { Settings } from '$lib/generated/Settings';
import { NO_CHANGE, NO_LIMITS } from '$lib/model/bounds';
import { declaredAt, type Declared } from './places';
import { changeOf, defaultOf, linesOf, modeOf, said, shown, sizeOf, sourceOf } from './sources';

const declared = (path: string): Declared => declaredAt(path) as Declared;
const steps = declared('limits.max_cycles');
const user = (maxCycles: number | null): Settings => ({
  ...fixture('connected'),
  set: { ...NO_CHANGE, limits: { ...NO_LIMITS, maxCycles } },
});
const kind = (settings: Settings, asked?: number) =>
  sourceOf(
    steps,
    settings,
    asked === undefined ? null : inForce('p', settings, { limits: { maxCycles: asked } }),
    'two_stage',
  ).kind;

test('a value comes from the layer that counts most', () => {
  expect(kind(user(null))).toBe('default');
  expect(kind(user(5))).toBe('you');
  expect(kind(user(5), 2)).toBe('project');
  expect(kind(user(null), 2)).toBe('project');
  const set = { ...user(5), environment: { ...NO_CHANGE, limits: { ...NO_LIMITS, maxCycles: 9 } } };
  expect(sourceOf(steps, set, inForce('p', set, { limits: { maxCycles: 2 } }), 'two_stage')).toEqual({
    kind: 'environment',
    variable: 'ORION_MAX_PHASE_CYCLES_PER_TURN',
  });
});

test('a project that asks for more changes nothing, and one may limit what has no limit', () => {
  expect(kind(user(2), 5)).toBe('you');
  expect(kind(user(null), 9)).toBe('default');
  const cost = declared('limits.max_cost_usd');
  expect(sourceOf(cost, user(null), inForce('p', user(null), { limits: { maxCostUsd: 0.5 } }), 'two_stage')).toEqual({
    kind: 'project',
    value: 0.5,
  });
});

test('P3: in plan mode the steps that nobody set are 3, whoever chose the mode', () => {
  const plan: Settings = { ...user(null), mode: 'plan' };
  const ofProject = inForce('p', user(null), { mode: 'plan', limits: { maxCycles: 5 } });
  expect([modeOf(user(null), null), modeOf(plan, null), modeOf(user(null), ofProject)]).toEqual([
    'act',
    'plan',
    'plan',
  ]);
  expect([
    defaultOf(steps, 'act', 'two_stage'),
    defaultOf(steps, 'plan', 'two_stage'),
    defaultOf(steps, 'plan', 'unified'),
    defaultOf(declared('limits.max_tools'), 'plan', 'two_stage'),
    defaultOf(declared('mode'), 'plan', 'two_stage'),
  ]).toEqual([8, 3, 24, 1, 'act']);
  // 5 is fewer than in act mode, and more than in plan mode.
  expect([kind(user(null), 5), kind(plan, 5), kind(plan, 2)]).toEqual(['project', 'default', 'project']);
  expect(sourceOf(steps, user(null), ofProject, 'two_stage')).toEqual({ kind: 'default' });
});

test('what only the person may set is never said to come from a project', () => {
  const asked = { ...inForce('p', user(null)), asked: { ...NO_CHANGE, retryS: 1 } };
  expect(sourceOf(declared('retry_s'), user(null), asked, 'two_stage').kind).toBe('default');
  expect(
    sourceOf(declared('mode'), user(null), { ...asked, asked: { ...NO_CHANGE, mode: 'plan' } }, 'two_stage'),
  ).toEqual({ kind: 'project', value: 'plan' });
});

test('a change says one setting and leaves the others', () => {
  const change = changeOf(steps, 4, NO_CHANGE);
  expect(said(change, steps)).toBe(4);
  expect({ ...change, limits: { ...change.limits, maxCycles: null } }).toEqual(NO_CHANGE);
  expect(changeOf(declared('retry_s'), 1, NO_CHANGE)).toEqual({ ...NO_CHANGE, retryS: 1 });
});

test('a list is said, shown and changed as a whole, in its table', () => {
  const names = declared('commands.env');
  expect([said(NO_CHANGE, names), shown(names, null), shown(names, []), shown(names, ['A', 'B'])]).toEqual([
    null,
    'none',
    'none',
    'A, B',
  ]);
  const change = changeOf(names, ['A', 'B'], NO_CHANGE);
  expect(change).toEqual({ ...NO_CHANGE, commands: { ...NO_CHANGE.commands, env: ['A', 'B'] } });
  expect(said(change, names)).toEqual(['A', 'B']);
  expect(sourceOf(names, { ...user(null), set: change }, null, 'two_stage')).toEqual({ kind: 'you' });
});

test('a number of bytes has its size beside it, and no other number has one', () => {
  expect(sizeOf(declared('limits.max_file_bytes'), 8_388_608)).toBe('8.4 MB');
  expect(sizeOf(declared('limits.max_file_bytes'), null)).toBeNull();
  expect(sizeOf(steps, 8)).toBeNull();
});

test('what is typed into a list has one text on each line, and none twice', () => {
  expect(linesOf('')).toEqual([]);
  expect(linesOf(' A \n\n~/my data\r\nA\n  ')).toEqual(['A', '~/my data']);
});
