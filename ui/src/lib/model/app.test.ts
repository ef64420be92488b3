import { expect, test } from 'vitest';
import { error, FOXES, inForce as inForceIn, session, settings, WEBSHOP } from '$lib/backend/replay/fixtures';
import { answered, answering, record } from '$lib/backend/replay/scripts';
import type { ErrorInfo } from '$lib/generated/ErrorInfo';
import type { ProjectSettings } from '$lib/generated/ProjectSettings';
import type { TraceSpan } from '$lib/generated/TraceSpan';
import type { Update } from '$lib/generated/Update';
import { addProblem, dismissProblem, EMPTY, fold, foldAll, foldProjectSettings, foldSession, foldSpans, inForce, type Model, turnsOfSession } from './app';
import { NO_LIMITS } from './bounds';
import { outline } from './spans';

const LOADER = session('s-1', FOXES.projectId, 'Loader', 0);
const updatesOf = (requestId: string): Update[] => record(answered, requestId, 's-1', FOXES.projectId).beats.map((beat) => beat.update);

test('a session that is loaded and one that was watched live are the same', () => {
  const live = foldAll(EMPTY, updatesOf('t-1'));
  const envelopes = record(answered, 't-1', 's-1', FOXES.projectId).envelopes();
  const loaded = foldSession(EMPTY, { session: LOADER, turns: [{ requestId: 't-1', state: 'over', envelopes }] });
  expect(turnsOfSession(loaded, 's-1')).toEqual(turnsOfSession(live, 's-1'));
});

test('a live turn that the loaded session does not have yet comes after its turns', () => {
  const live = foldAll(EMPTY, updatesOf('t-2'));
  const envelopes = record(answered, 't-1', 's-1', FOXES.projectId).envelopes();
  const both = foldSession(live, { session: LOADER, turns: [{ requestId: 't-1', state: 'over', envelopes }] });
  expect(turnsOfSession(both, 's-1').map((turn) => turn.requestId)).toEqual(['t-1', 't-2']);
});

test('A5: an interrupted turn of a loaded session is marked', () => {
  const envelopes = record(answering, 't-1', 's-1', FOXES.projectId).envelopes();
  const loaded = foldSession(EMPTY, { session: LOADER, turns: [{ requestId: 't-1', state: 'interrupted', envelopes }] });
  expect(turnsOfSession(loaded, 's-1').map((turn) => turn.interrupted)).toEqual([true]);
});

test('a project that is forgotten takes its sessions along', () => {
  const model = foldAll(EMPTY, [{ type: 'project', project: FOXES }, { type: 'session', session: LOADER }]);
  expect(model.sessions).toEqual([LOADER]);
  const without = fold(model, { type: 'project_forgotten', projectId: FOXES.projectId });
  expect([without.projects, without.sessions]).toEqual([[], []]);
});

test('E3: an update of an unknown type changes nothing', () => {
  expect(fold(EMPTY, { type: 'comet' } as unknown as Update)).toBe(EMPTY);
});

test('problems stay until they are dismissed, the newest four of them', () => {
  const problem = (message: string) => ({ code: 'internal', message }) as never;
  const model = ['a', 'b', 'c', 'd', 'e'].reduce((before, message) => addProblem(before, problem(message)), EMPTY);
  expect(dismissProblem(model, 3).problems.map(({ error }) => error.message)).toEqual(['b', 'd', 'e']);
});

test('a problem that is told again is shown once', () => {
  const problem = { code: 'config_invalid', message: 'a' } as never;
  const model = addProblem(EMPTY, problem);
  expect(addProblem(model, problem)).toBe(model);
});

const ofFoxes = (problems: ErrorInfo[] = []): ProjectSettings => inForceIn(FOXES.projectId, settings('connected'), { mode: 'plan', limits: { maxCycles: 2 }, problems });

test('P3: a project goes by its own settings once they are told, and by the user\'s until then and elsewhere', () => {
  const user = { ...settings('connected'), limits: { ...NO_LIMITS, maxCycles: 5 } };
  const before = fold(EMPTY, { type: 'settings', settings: user });
  const ofUser = { twoStageEnabled: true, mode: 'act', limits: { two_stage: user.limits, unified: user.limits }, problems: [] };
  expect(inForce(before, FOXES.projectId)).toEqual(ofUser);
  const told = fold(before, { type: 'project_settings', settings: ofFoxes() });
  expect(inForce(told, FOXES.projectId)).toEqual(ofFoxes());
  expect([inForce(told, WEBSHOP.projectId), inForce(told, null)]).toEqual([ofUser, ofUser]);
});

test('a fault of a project\'s file is a problem once, until it was mended and made again', () => {
  const fault = error('config_invalid', 'config.toml:1:1: `colour` is not a setting.', 'Remove it.');
  const shown = (model: Model) => model.problems.map((problem) => problem.error);
  const told = foldProjectSettings(EMPTY, ofFoxes([fault]));
  expect(shown(told)).toEqual([fault]);
  const dismissed = dismissProblem(told, 1);
  const again = foldProjectSettings(dismissed, ofFoxes([fault]));
  expect(shown(again)).toEqual([]);
  const mended = foldProjectSettings(again, ofFoxes());
  expect(shown(foldProjectSettings(mended, ofFoxes([fault])))).toEqual([fault]);
});

const span = (spanId: number, parentId: number | null, endMs: number | null = null): TraceSpan => ({
  requestId: 't-1', spanId, parentId, kind: 'model_call', name: `span ${spanId}`, startMs: 0, endMs, phase: 'action_phase', toolBatchId: null, status: 'running', attributes: {},
});

test('J2: a span replaces the one with its id, and one that ended is not undone by an older answer', () => {
  const ended = foldSpans(foldSpans(EMPTY, [span(2, 1), span(1, null)]), [span(2, 1, 30)]);
  expect(foldSpans(ended, [span(2, 1)]).spans['t-1']).toEqual([span(1, null), span(2, 1, 30)]);
});

test('spans are an outline, and a parent that is missing, later or itself makes no loop', () => {
  const rows = outline([span(1, null), span(2, 1), span(3, 9), span(4, 4), span(5, 6), span(6, 2)]);
  expect(rows.map(({ span: { spanId }, depth }) => [spanId, depth])).toEqual([[1, 0], [2, 1], [6, 2], [3, 0], [4, 0], [5, 0]]);
});
