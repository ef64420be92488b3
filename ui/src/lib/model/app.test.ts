import { expect, test } from 'vitest';
import { error, FOXES, inForce as inForceIn, session, settings, WEBSHOP } from '$lib/backend/replay/fixtures';
import { EDIT_FOX, guide, NEW_GUIDE } from '$lib/backend/replay/drafts';
import { YES } from '$lib/backend/replay/recorded';
import { answered, answering, record } from '$lib/backend/replay/scripts';
import { brokenOff, ended, proposing, writing } from '$lib/backend/replay/writeScripts';
import type { Envelope } from '$lib/generated/Envelope';
import type { ErrorInfo } from '$lib/generated/ErrorInfo';
import type { ProjectSettings } from '$lib/generated/ProjectSettings';
import type { TurnState } from '$lib/generated/TurnState';
import type { TurnView } from '$lib/generated/TurnView';
import type { Update } from '$lib/generated/Update';
import {
  addProblem,
  chatOf,
  dismissProblem,
  EMPTY,
  fold,
  foldAll,
  foldOlder,
  foldPage,
  foldProjectSettings,
  foldState,
  foldAftermath,
  foldUndone,
  foldWrite,
  inForce,
  type Model,
} from './app';
import { NO_CHANGE, NO_LIMITS } from './bounds';
import { shownText } from './content';
import { statusOf } from './status';
import { openWrite, writesOf } from './write';

const LOADER = session('s-1', FOXES.projectId, 'Loader', 0);
const turnsOf = (model: Model) => chatOf(model, 's-1').turns;
/** The model with the session's last turns, as the core tells them. */
const foldNewest = (model: Model, turns: TurnView[]): Model =>
  foldPage(
    model,
    { sessionId: LOADER.sessionId, projectId: FOXES.projectId, place: { type: 'newest' }, newest: null },
    { turns, earlier: false, later: false, anew: false },
  );
const viewOf = (
  requestId: string,
  state: TurnView['state'],
  envelopes: Envelope[],
  undone: number[] = [],
): TurnView => ({ requestId, state, envelopes, undone, branches: [], compactionUndone: false, forkedFrom: null });
const updatesOf = (requestId: string): Update[] =>
  record(answered, requestId, 's-1', FOXES.projectId).beats.map((beat) => beat.update);

test('a session that is loaded and one that was watched live are the same', () => {
  const live = foldAll(EMPTY, updatesOf('t-1'));
  const envelopes = record(answered, 't-1', 's-1', FOXES.projectId).envelopes();
  const loaded = foldNewest(EMPTY, [viewOf('t-1', 'over', envelopes)]);
  expect(turnsOf(loaded)).toEqual(turnsOf(live));
});

test('a live turn that the loaded session does not have yet comes after its turns', () => {
  const live = foldAll(EMPTY, updatesOf('t-2'));
  const envelopes = record(answered, 't-1', 's-1', FOXES.projectId).envelopes();
  const both = foldNewest(live, [viewOf('t-1', 'over', envelopes)]);
  expect(turnsOf(both).map((turn) => turn.requestId)).toEqual(['t-1', 't-2']);
});

test('A5: an interrupted turn of a loaded session is marked', () => {
  const envelopes = record(answering, 't-1', 's-1', FOXES.projectId).envelopes();
  const loaded = foldNewest(EMPTY, [viewOf('t-1', 'interrupted', envelopes)]);
  expect(turnsOf(loaded).map((turn) => turn.interrupted)).toEqual([true]);
});

const loadedAs = (script: typeof answered, state: TurnState, undone: number[] = []) => {
  const recording = record(script, 't-1', 's-1', FOXES.projectId);
  const model = foldNewest(EMPTY, [
    viewOf(
      't-1',
      state,
      recording.envelopes().filter(({ event }) => event.type !== 'write_progress'),
      undone,
    ),
  ]);
  return { recording, model, turn: () => turnsOf(model)[0] as ReturnType<typeof turnsOf>[number] };
};

test('A5, W7: a turn that waits after a restart waits for the same word, and can be stopped', () => {
  const { turn } = loadedAs(proposing(EDIT_FOX), 'waiting');
  expect([turn().waiting, turn().interrupted, statusOf(turn()).words, statusOf(turn()).running]).toEqual([
    true,
    false,
    'Waiting for your approval',
    true,
  ]);
});

test('T8: a turn that another version wrote says so and can be stopped, and one that broke off is not resumed', () => {
  const waits = loadedAs(proposing(EDIT_FOX), 'other_version').turn();
  expect([waits.waiting, waits.interrupted, statusOf(waits).words, statusOf(waits).running]).toEqual([
    true,
    false,
    'Written by another version of Orion',
    true,
  ]);
  const broken = loadedAs(brokenOff, 'other_version').turn();
  expect([broken.waiting, broken.interrupted, statusOf(broken).words, statusOf(broken).running]).toEqual([
    false,
    true,
    'Written by another version of Orion',
    false,
  ]);
});

test('A5: an older answer about a turn does not make it wait again', () => {
  const { recording, model } = loadedAs(proposing(EDIT_FOX), 'waiting');
  const view = [viewOf('t-1', 'waiting', recording.envelopes())];
  const [last] = recording.answered(YES).envelopes().slice(-1);
  const later = fold(model, { type: 'event', envelope: last as never });
  expect(turnsOf(foldNewest(later, view)).map(({ waiting }) => waiting)).toEqual([false]);
});

test('W7: a window that opens late has the end of the content from the core', () => {
  const { model, turn } = loadedAs(brokenOff, 'interrupted');
  expect(statusOf(turn()).words).toBe('Interrupted');
  const view = { requestId: 't-1', write: 1, tail: guide(4), tailOffset: 0 } as never;
  const [mended] = turnsOf(foldWrite(model, view));
  const stage = mended && openWrite(mended)?.stage;
  if (stage?.kind !== 'content') throw new Error('No content is on its way.');
  expect([shownText(stage.content), stage.content.bytes, stage.content.lines, stage.content.last.line]).toEqual([
    guide(4),
    guide(4).length,
    56,
    1,
  ]);
});

test('what streamed meanwhile stays when the end of the content comes', () => {
  const { recording, model } = loadedAs(writing(NEW_GUIDE, 'one\ntwo\n'), 'running');
  const late = recording.content('three\nfour').envelopes().at(-1);
  const gapped = fold(model, { type: 'event', envelope: late as never });
  const told = foldWrite(gapped, { requestId: 't-1', write: 1, tail: 'one\ntwo\nthr', tailOffset: 0 } as never);
  const [turn] = turnsOf(told);
  const stage = turn && openWrite(turn)?.stage;
  if (stage?.kind !== 'content') throw new Error('No content is on its way.');
  expect([shownText(stage.content), stage.content.gap, stage.content.bytes, stage.content.lines]).toEqual([
    'one\ntwo\nthree\nfour',
    false,
    18,
    4,
  ]);
});

test('W7: a write that was undone says so, and one that could not be says why', () => {
  const { model } = loadedAs(ended(EDIT_FOX, []), 'over');
  const undo = (refusal: ErrorInfo | null) =>
    turnsOf(foldUndone(model, [{ requestId: 't-1', write: 1, path: 'src/fox.rs', error: refusal }]))
      .flatMap(writesOf)
      .map(({ stage }) => stage.kind === 'done' && stage.undone);
  const refusal = error('undo_stale', 'It changed.', '');
  expect([undo(null), undo(refusal)]).toEqual([[{ kind: 'undone' }], [{ kind: 'refused', error: refusal }]]);
});

test('older sessions that were asked for stay when the state is told again, and what is missing stays known', () => {
  const sessions = Array.from({ length: 6 }, (_, hours) =>
    session(`s-${hours}`, hours === 4 ? WEBSHOP.projectId : FOXES.projectId, `${hours}`, hours),
  );
  const told = (from: number, to: number, older: string[]) => ({
    version: '',
    projects: [],
    sessions: sessions.slice(from, to),
    apart: [],
    older,
    settings: settings('connected'),
    running: [],
  });
  const shown = ({ sessions: known, older }: Model) => [known.map(({ sessionId }) => sessionId), Object.keys(older)];
  const both = [FOXES.projectId, WEBSHOP.projectId];
  const first = foldState(EMPTY, told(1, 3, both));
  expect(shown(first)).toEqual([['s-1', 's-2'], both]);
  const whole = foldOlder(
    foldOlder(first, FOXES.projectId, [sessions[3] as never], true),
    FOXES.projectId,
    [sessions[3], sessions[5]] as never,
    false,
  );
  expect(shown(whole)).toEqual([['s-1', 's-2', 's-3', 's-5'], [WEBSHOP.projectId]]);
  // A new one takes the place of the last that was told of.
  expect(shown(foldState(whole, told(0, 2, both)))).toEqual([['s-0', 's-1', 's-2', 's-3', 's-5'], [WEBSHOP.projectId]]);
  // What the state tells to its end is all there is.
  expect(shown(foldState(whole, told(0, 1, [])))).toEqual([['s-0'], []]);
});

const undoOf = (model: Model) =>
  turnsOf(model)
    .flatMap(writesOf)
    .map(({ stage }) => (stage.kind === 'done' ? stage.undone.kind : stage.kind));

test('W7: what was undone before the window opened is told as undone, and an older answer does not undo that', () => {
  const { model } = loadedAs(ended(EDIT_FOX, []), 'over', [1]);
  const older = { requestId: 't-1', write: 1, state: 'done', undoable: true, undone: false } as never;
  expect([undoOf(model), undoOf(foldWrite(model, older))]).toEqual([['undone'], ['undone']]);
});

test('W7, A10: a write that another process undid, or brought again, is told as that, and a refusal stays', () => {
  const { model } = loadedAs(ended(EDIT_FOX, []), 'over');
  const after = (from: Model, undone: number[]) =>
    foldAftermath(from, {
      't-1': { undone, branches: [], compactionUndone: false },
      't-9': { undone, branches: [], compactionUndone: false },
    });
  const gone = after(model, [1]);
  const refused = foldUndone(model, [
    { requestId: 't-1', write: 1, path: 'src/fox.rs', error: error('undo_stale', 'It changed.', '') },
  ]);
  expect([gone, after(gone, [1]), after(gone, []), after(refused, [])].map(undoOf)).toEqual([
    ['undone'],
    ['undone'],
    ['possible'],
    ['refused'],
  ]);
  // What says nothing new changes nothing.
  expect([after(gone, [1]) === gone, after(model, []) === model]).toEqual([true, true]);
  expect(undoOf(after(loadedAs(proposing(EDIT_FOX), 'waiting').model, [1]))).toEqual(['proposed']);
});

test('W7: a write can be undone until the file is another, and again once it is the same', () => {
  const view = (undoable: boolean, undone = false, state = 'done') =>
    ({ requestId: 't-1', write: 1, state, undoable, undone }) as never;
  const { model } = loadedAs(ended(EDIT_FOX, []), 'over');
  const changed = foldWrite(model, view(false));
  expect(
    [
      model,
      foldWrite(model, view(false, false, 'awaiting_approval')),
      changed,
      foldWrite(changed, view(true)),
      foldWrite(model, view(false, true)),
    ].map(undoOf),
  ).toEqual([['possible'], ['possible'], ['impossible'], ['possible'], ['undone']]);
  expect(undoOf(loadedAs(ended(EDIT_FOX, null), 'over').model)).toEqual(['impossible']);
});

test('a project that is forgotten takes its sessions along', () => {
  const model = foldAll(EMPTY, [
    { type: 'project', project: FOXES },
    { type: 'session', session: LOADER },
  ]);
  expect(model.sessions).toEqual([LOADER]);
  const without = fold(model, { type: 'project_forgotten', projectId: FOXES.projectId });
  expect([without.projects, without.sessions]).toEqual([[], []]);
});

test('a session that is deleted takes all that is known of its turns along, and no other does', () => {
  const other: Update[] = record(answered, 't-2', 's-2', FOXES.projectId).beats.map((beat) => beat.update);
  const kept = foldAll(EMPTY, [{ type: 'session', session: session('s-2', FOXES.projectId, 'Another', 1) }, ...other]);
  const both = foldAll(kept, [{ type: 'session', session: LOADER }, ...updatesOf('t-1')]);
  expect(fold(both, { type: 'session_deleted', sessionId: 's-1' })).toEqual(kept);
  expect(Object.keys(fold(both, { type: 'project_forgotten', projectId: FOXES.projectId }).chats)).toEqual([]);
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

const ofFoxes = (problems: ErrorInfo[] = []): ProjectSettings =>
  inForceIn(FOXES.projectId, settings('connected'), { mode: 'plan', limits: { maxCycles: 2 }, problems });

test("P3: a project goes by its own settings once they are told, and by the user's until then and elsewhere", () => {
  const user = { ...settings('connected'), limits: { ...NO_LIMITS, maxCycles: 5 } };
  const before = fold(EMPTY, { type: 'settings', settings: user });
  const ofUser = {
    twoStageEnabled: true,
    mode: 'act',
    limits: { two_stage: user.limits, plan: user.limits, unified: user.limits },
    asked: NO_CHANGE,
    tools: [],
    problems: [],
  };
  expect(inForce(before, FOXES.projectId)).toEqual(ofUser);
  const told = fold(before, { type: 'project_settings', settings: ofFoxes() });
  expect(inForce(told, FOXES.projectId)).toEqual(ofFoxes());
  expect([inForce(told, WEBSHOP.projectId), inForce(told, null)]).toEqual([ofUser, ofUser]);
});

test("a fault of a project's file is a problem once, until it was mended and made again", () => {
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
