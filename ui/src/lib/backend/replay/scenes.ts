// The states of the window that the suites look at, by name.

import { checksFailed, checksPassed, checksRepaired, checksRunning, checksSkipped, checksUnheld } from './turnChecks';
import type { Answer } from '$lib/generated/Answer';
import type { AppState } from '$lib/generated/AppState';
import type { Query } from '$lib/generated/Query';
import type { TurnState } from '$lib/generated/TurnState';
import { seeing, withAttachments } from './attaching';
import { CHECKED, PROPOSED, RESCRIPTED } from './checks';
import { IMPORTED, importedInto } from './exports';
import { TROUBLED } from './computers';
import {
  askingForHosts,
  askingForOutside,
  askingInFull,
  askingForFiles,
  askingInNone,
  askingLong,
  askingOfUnread,
  askingOfWords,
  askingSince,
  askingToFetch,
  commandChanged,
  commandEnded,
  commandFailed,
  commandForFiles,
  commandReached,
  commandRefused,
  commandTimedOut,
  runningCommand,
} from './commands';
import { compacted, notCompacted, summingUp, tooLong } from './compactions';
import {
  EDIT_CHANGED,
  EDIT_FOX,
  EDIT_STALE,
  EMPTY,
  guide,
  HOSTILE,
  large,
  LEGACY,
  LOGO,
  longNew,
  MINIFIED,
  NEW_GUIDE,
  NO_LOGO,
  SHRUNK,
} from './drafts';
import { TIGHT, variedSettings } from './varied';
import { touring } from './tours';
import { error, FOXES, NOON, PRESETS, type ProjectFile, session, settings, WEBSHOP } from './fixtures';
import { paused, pausedNow, pausedTwice } from './pauses';
import { questioning } from './questions';
import { diagrams, hostileDiagrams, hostileLinks, hostileRich, reading, rich } from './readings';
import { dearDiagrams, dearFormulas, largeDiagrams, largeFormulas } from './richLarge';
import { queuedTexts } from './queues';
import { aDay } from './days';
import { railed, railedShort } from './railed';
import {
  answered,
  answering,
  asking,
  askingByRule,
  brief,
  chosen,
  cutOff,
  exhausted,
  flood,
  hostile,
  madeRoom,
  overloaded,
  QUESTION,
  ranDry,
  readAgain,
  record,
  refusedKey,
  repeating,
  runningTool,
  type Script,
  steeredLate,
  thinking,
  wanting,
} from './scripts';
import type { Scene } from './scene';
import { traced, tracedLong, tracedWaiting } from './traced';
import { figuresOf } from './figured';
import { attaching } from './namings';
import { manySpans } from './tracedMany';
import { refusedOfCommands } from './homes';
import { HOSTILE_SCENES } from './hostileScenes';
import { madeAnswer } from './made';
import { leaked, noAnswer, readAsMeant } from './meant';
import { tracedHostile } from './tracedHostile';
import {
  brokenOff,
  checking,
  correcting,
  ended,
  gaveUp,
  growing,
  proposing,
  refusedByDisk,
  repeatingItself,
  unknownOutcome,
  withAnother,
  WRITE_REQUEST,
  writing,
} from './writeScripts';

const LOADER = {
  ...session('s-loader', FOXES.projectId, 'How does the config loader work?', 0),
  spent: { costUsd: 0.0042, pricedTurns: 1, promptTokens: 14_880, completionTokens: 288 },
};
const SESSIONS = [
  LOADER,
  session('s-notes', FOXES.projectId, 'Release notes for 0.4', 20),
  session('s-den', FOXES.projectId, 'Why do two foxes share a den in the winter simulation?', 30),
  session('s-cart', WEBSHOP.projectId, 'Rounding in the cart', 70),
];

/** More sessions than a state tells of. */
const MANY = Array.from({ length: 450 }, (_, index) =>
  session(`s-${String(index).padStart(3, '0')}`, FOXES.projectId, `Conversation ${450 - index}`, 100 + index),
);

/** Sessions of many days, some of them pinned, archived or waiting. */
const LISTED = [
  { ...LOADER, updatedAtMs: LOADER.updatedAtMs + 1 },
  {
    ...session('s-licence', FOXES.projectId, 'Which licence do the dens have?', 1),
    happened: { type: 'waiting' } as const,
  },
  { ...session('s-hares', FOXES.projectId, 'Count the hares', 2), happened: { type: 'stopped' } as const },
  {
    ...session('s-notes', FOXES.projectId, 'Release notes for 0.4', 20),
    happened: { type: 'wrote', files: 2 } as const,
    lines: { added: 8, removed: 2 },
  },
  {
    ...session('s-den', FOXES.projectId, 'Why do two foxes share a den in the winter simulation of last year?', 45),
    happened: { type: 'failed' } as const,
  },
  session('s-feb', FOXES.projectId, 'Fork 2: Sort the sightings', 24 * 30),
  session('s-plan', FOXES.projectId, 'The plan for spring', 24 * 80),
  { ...session('s-kept', FOXES.projectId, 'How we name things', 24 * 60), pinned: true },
  { ...session('s-away', FOXES.projectId, 'An old idea', 24 * 40), archived: true },
  session('s-cart', WEBSHOP.projectId, 'Rounding in the cart', 70),
];

/** Of which nothing was written. */
const UNWRITTEN = [
  {
    ...session('s-index', FOXES.projectId, 'Write an index of the dens', 22),
    happened: { type: 'not_written' } as const,
  },
  { ...session('s-map', FOXES.projectId, 'Draw the map anew', 23), happened: { type: 'rejected' } as const },
];

const STRICT: ProjectFile = {
  mode: 'plan',
  limits: { maxCycles: 2, maxTools: 4 },
  problems: [
    error(
      'config_invalid',
      '/home/ada/code/foxes/.orion/config.toml:5:1: `limits.max_duplicates` asks for 9, and you allow 3: a project can only lower it.',
      'Raise it in /home/ada/.config/orion/config.toml if you trust this project.',
    ),
  ],
};

const state = (more: Partial<AppState> = {}): AppState => ({
  version: '0.2.0',
  projects: [FOXES, WEBSHOP],
  sessions: [...SESSIONS],
  apart: [],
  older: [],
  settings: settings('connected'),
  running: [],
  ...more,
});

const turn = (script: Script, turnState: TurnState = 'over', index = 1, text = QUESTION) => ({
  // What runs now began a moment ago; everything else has a fixed time.
  recording: record(
    script,
    `t-${index}`,
    LOADER.sessionId,
    FOXES.projectId,
    text,
    turnState === 'running' ? Date.now() - 4_000 : NOON,
  ),
  state: turnState,
});

/** A turn that runs a command. */
const command = (script: Script, turnState: TurnState = 'over') => turn(script, turnState, 1, 'Do the tests pass?');

/** A session of so many turns, each of a height of its own. */
function long(turns: number, script: Script = answered): Scene {
  const question = (number: number) => `Question ${number}.${' And one more line of it.'.repeat((number * 7) % 23)}`;
  const sessions = state().sessions.map((known) =>
    known.sessionId === LOADER.sessionId ? { ...known, turns } : known,
  );
  return {
    state: state({ sessions }),
    turns: Array.from({ length: turns }, (_, index) => turn(script, 'over', index + 1, question(index + 1))),
    script: answered,
  };
}

/** A turn that writes, and what the next message plays. */
const write = (script: Script, turnState: TurnState = 'running'): Scene => {
  const played = turn(script, turnState, 1, WRITE_REQUEST);
  return { state: state(), turns: [played], script: answered };
};

const changedOnDisk = (): Scene => {
  const scene = write(proposing(EDIT_CHANGED));
  for (const desk of scene.turns[0]?.recording.desks ?? []) desk.changedOnDisk = true;
  return scene;
};

/** The `nth` time that they are asked for, the preview or its rows are not available. */
const flaky = (what: Query['type'], nth: number): Scene => {
  let asked = 0;
  const refuses: Scene['refuses'] = ({ type }) =>
    type === what && ++asked === nth ? error('storage', 'The store did not answer.', 'Try again.') : null;
  return { ...write(proposing(EDIT_FOX)), refuses };
};

/** The core made a new difference by itself. */
const renewed = (): Scene => {
  const scene = write(proposing(EDIT_CHANGED));
  const { recording } = scene.turns[0] as (typeof scene.turns)[number];
  const [desk] = recording.desks;
  desk?.revise(desk.proposal().digest, { type: 'refresh' });
  recording.propose();
  return scene;
};

/** A server on this computer, and keys in the environment. */
const DISCOVERED: Answer = {
  type: 'discovered',
  found: ['ollama', 'deepseek', 'openai']
    .flatMap((wanted) => PRESETS.filter(({ name }) => name === wanted))
    .map((preset) => (preset.local ? { ...preset, model: 'qwen3:8b' } : preset)),
};

const SCENES: Record<string, () => Scene> = {
  ...HOSTILE_SCENES,
  welcome: () => ({
    state: state({ projects: [], sessions: [], settings: settings('bare') }),
    turns: [],
    script: answered,
  }),
  tour: () => ({
    state: state({ projects: [], sessions: [], settings: settings('bare') }),
    turns: [],
    script: touring,
  }),
  // A write of the person's waits in another folder.
  'tour-beside': () => ({ ...write(proposing(EDIT_FOX)), script: touring }),
  'tour-unsent': () => ({
    state: state({ projects: [], sessions: [], settings: settings('bare') }),
    turns: [],
    script: touring,
    refusal: error('storage', 'The disk is full.', 'Make room, then send it again.'),
  }),
  'key-lost': () => {
    const known = settings('connected');
    return {
      state: state({
        sessions: [],
        settings: {
          ...known,
          keychain: false,
          endpoints: known.endpoints.map((it) => (it.name === 'deepseek' ? { ...it, key: { kind: 'lost' } } : it)),
        },
      }),
      turns: [],
      script: answered,
    };
  },
  'folder-gone': () => ({
    state: state({ projects: [{ ...FOXES, available: false }, WEBSHOP] }),
    turns: [turn(answered)],
    script: answered,
  }),
  day: () => aDay(state({ projects: [], sessions: [] })),
  'no-project': () => ({ state: state({ projects: [], sessions: [] }), turns: [], script: answered }),
  'no-model': () => ({ state: state({ sessions: [], settings: settings('bare') }), turns: [], script: answered }),
  // Keys are in the environment, and a server is on this computer.
  'models-found': () => ({
    state: state({ sessions: [], settings: settings('bare') }),
    turns: [],
    script: answered,
    answers: (query) => (query.type === 'discover' ? DISCOVERED : null),
  }),
  // They are looked for until the test says that they are found (`orion:found`).
  'models-late': () => ({
    state: state({ sessions: [], settings: settings('bare') }),
    turns: [],
    script: answered,
    answers: (query) =>
      query.type === 'discover'
        ? new Promise((resolve) => addEventListener('orion:found', () => resolve(DISCOVERED)))
        : null,
  }),
  // A window that was started from a menu, on a computer without servers.
  'nothing-found': () => ({
    state: state({ sessions: [], settings: settings('bare') }),
    turns: [],
    script: answered,
    answers: (query) => (query.type === 'discover' ? { type: 'discovered', found: [] } : null),
  }),
  'no-session': () => ({ state: state({ sessions: [] }), turns: [], script: answered }),
  'not-sent': () => ({
    state: state({ sessions: [] }),
    turns: [],
    script: answered,
    refusal: error('storage', 'The disk is full.', 'Make room, then send it again.'),
  }),
  'stop-slow': () => ({ state: state(), turns: [turn(answering, 'running')], script: brief, stopMs: 1_500 }),
  naming: () => ({ state: state(), turns: [], script: attaching }),
  attachments: () => ({ state: state({ settings: seeing() }), turns: [turn(withAttachments)], script: brief }),
  'attachments-new': () => ({ state: state({ sessions: [], settings: seeing() }), turns: [], script: brief }),
  'attachments-running': () => ({
    state: state({ settings: seeing() }),
    turns: [turn(asking, 'running')],
    script: brief,
  }),
  queue: () => ({ state: state(), turns: [turn(asking, 'running')], script: brief }),
  'steered-late': () => ({
    state: state(),
    turns: [turn(steeredLate)],
    script: brief,
    queue: { messages: queuedTexts(['And where is it tested?']), held: true },
  }),
  'queue-held': () => ({
    state: state(),
    turns: [turn(cutOff)],
    script: brief,
    queue: {
      messages: queuedTexts([
        'And where is it tested?',
        'Write that down in docs/config.md, with an example for each of the three sources.',
      ]),
      held: true,
    },
  }),
  unified: () => {
    const chosen = settings('connected');
    return {
      state: state({
        sessions: [],
        settings: { ...chosen, twoStageEnabled: false, set: { ...chosen.set, twoStageEnabled: false } },
      }),
      turns: [],
      script: answered,
    };
  },
  tightened: () => ({
    state: state({ settings: variedSettings() }),
    turns: [turn(answered)],
    script: answered,
    projectFile: TIGHT,
  }),
  'commands-refused': () => ({
    state: state(),
    turns: [turn(answered)],
    script: answered,
    refusesOp: refusedOfCommands,
  }),
  checks: () => ({ state: state(), turns: [turn(answered)], script: answered, checks: CHECKED }),
  'checks-proposed': () => ({ ...write(ended(EDIT_FOX, [2]), 'over'), checks: PROPOSED }),
  strict: () => ({ state: state({ sessions: [] }), turns: [], script: answered, projectFile: STRICT }),
  computer: () => ({ state: state(), turns: [turn(answered)], script: answered, computer: TROUBLED }),
  'computer-looking': () => ({ state: state(), turns: [turn(answered)], script: answered, computer: null }),
  // The first time that somebody looks.
  'computer-failed': () => {
    let asked = 0;
    const refuses: Scene['refuses'] = ({ type }) =>
      type === 'doctor' && ++asked === 1 ? error('storage', 'The store did not answer.', 'Try again.') : null;
    return { state: state(), turns: [turn(answered)], script: answered, refuses };
  },
  unopened: () => {
    const refuses: Scene['refuses'] = ({ type }) =>
      type === 'doctor'
        ? null
        : error(
            'storage_version',
            'The data folder was used by a newer Orion.',
            'Update Orion, or choose another data folder.',
          );
    return { state: state(), turns: [], script: answered, refuses, computer: TROUBLED };
  },
  finished: () => ({ state: state(), turns: [turn(answered)], script: answered }),
  made: () => ({
    state: state(),
    turns: [turn(answered), turn(madeAnswer, 'over', 2, 'And what nobody wrote?')],
    script: answered,
  }),
  imported: () => {
    const all = state();
    importedInto(all);
    const sessions = all.sessions.filter(({ sessionId }) => sessionId !== IMPORTED.sessionId);
    return {
      state: {
        ...all,
        sessions: sessions.map((it, at) => (at === 0 ? { ...it, projectId: IMPORTED.projectId, imported: true } : it)),
      },
      turns: [turn(answered)],
      script: answered,
    };
  },
  streaming: () => ({ state: state(), turns: [turn(answering, 'running')], script: answered }),
  'rail-short': () => ({
    state: state(),
    turns: [turn(railedShort(20)), turn(railedShort(20), 'over', 2), turn(answered, 'over', 3)],
    script: answered,
  }),
  rail: () => ({ state: state(), turns: [turn(railed(10), 'running')], script: answered }),
  thinking: () => ({ state: state(), turns: [turn(thinking, 'running')], script: answered }),
  tool: () => ({ state: state(), turns: [turn(runningTool, 'running')], script: answered }),
  'approval-rule': () => ({ state: state(), turns: [turn(askingByRule, 'running')], script: asking }),
  approval: () => ({ state: state(), turns: [turn(asking, 'running')], script: asking }),
  'approval-leaked': () => ({
    state: state(),
    turns: [turn(leaked, 'running', 1, WRITE_REQUEST)],
    script: answered,
  }),
  'command-asked': () => ({ state: state(), turns: [command(askingInFull, 'running')], script: askingInFull }),
  'command-words': () => ({ state: state(), turns: [command(askingOfWords, 'running')], script: answered }),
  'command-unread': () => ({ state: state(), turns: [command(askingOfUnread, 'running')], script: answered }),
  'command-none': () => ({ state: state(), turns: [command(askingInNone, 'running')], script: answered }),
  'command-files': () => ({ state: state(), turns: [command(askingForFiles, 'running')], script: answered }),
  'command-outside': () => ({ state: state(), turns: [command(askingForOutside, 'running')], script: answered }),
  'command-since': () => ({ state: state(), turns: [command(askingSince, 'running')], script: answered }),
  'command-long': () => ({ state: state(), turns: [command(askingLong, 'running')], script: answered }),
  'command-running': () => ({ state: state(), turns: [command(runningCommand, 'running')], script: answered }),
  'command-ended': () => ({ state: state(), turns: [command(commandEnded)], script: answered }),
  'command-fetching': () => ({ state: state(), turns: [command(askingToFetch, 'running')], script: answered }),
  'command-hosts': () => ({ state: state(), turns: [command(askingForHosts, 'running')], script: answered }),
  'command-refused': () => ({ state: state(), turns: [command(commandRefused)], script: answered }),
  'command-reached': () => ({ state: state(), turns: [command(commandReached)], script: answered }),
  'command-changes': () => ({ state: state(), turns: [command(commandChanged)], script: answered }),
  'command-failed': () => ({ state: state(), turns: [command(commandFailed)], script: answered }),
  'command-files-ended': () => ({ state: state(), turns: [command(commandForFiles)], script: answered }),
  'command-timed-out': () => ({ state: state(), turns: [command(commandTimedOut)], script: answered }),
  'checks-running': () => ({
    state: state(),
    turns: [turn(checksRunning, 'running')],
    script: answered,
    checks: CHECKED,
  }),
  'checks-passed': () => ({ state: state(), turns: [turn(checksPassed)], script: answered, checks: CHECKED }),
  'checks-failed': () => ({ state: state(), turns: [turn(checksFailed)], script: answered, checks: CHECKED }),
  // Since then somebody removed them all.
  'checks-gone': () => ({
    state: state(),
    turns: [turn(checksFailed)],
    script: answered,
    checks: { ...PROPOSED, offered: true },
  }),
  'checks-skipped': () => ({ state: state(), turns: [turn(checksSkipped)], script: answered, checks: RESCRIPTED }),
  'checks-unheld': () => ({ state: state(), turns: [turn(checksUnheld)], script: answered, checks: CHECKED }),
  'checks-repaired': () => ({ state: state(), turns: [turn(checksRepaired)], script: answered, checks: CHECKED }),
  'read-as-meant': () => ({ state: state(), turns: [turn(readAsMeant)], script: answered }),
  'no-answer': () => ({ state: state(), turns: [turn(noAnswer)], script: answered }),
  paused: () => ({ state: state(), turns: [turn(paused, 'running')], script: answered }),
  'paused-waiting': () => ({ state: state(), turns: [turn(paused, 'waiting')], script: answered }),
  'paused-twice': () => ({ state: state(), turns: [turn(pausedTwice, 'running')], script: answered }),
  'paused-now': () => ({ state: state(), turns: [turn(pausedNow, 'running')], script: answered }),
  questions: () => ({ state: state(), turns: [turn(questioning, 'running')], script: answered }),
  error: () => ({ state: state(), turns: [turn(refusedKey)], script: answered }),
  'cut-off': () => ({ state: state(), turns: [turn(cutOff)], script: answered }),
  retrying: () => ({ state: state(), turns: [turn(overloaded, 'running')], script: answered }),
  repeating: () => ({ state: state(), turns: [turn(repeating)], script: answered }),
  'made-room': () => ({ state: state(), turns: [turn(madeRoom)], script: answered }),
  'read-again': () => ({
    state: state(),
    turns: [turn(answered), turn(readAgain, 'over', 2, 'Is that still so?')],
    script: answered,
  }),
  compacted: () => ({ state: state(), turns: [turn(answered), turn(compacted, 'over', 2)], script: answered }),
  compacting: () => ({ state: state(), turns: [turn(answered), turn(summingUp, 'running', 2)], script: answered }),
  'not-compacted': () => ({ state: state(), turns: [turn(answered), turn(notCompacted, 'over', 2)], script: answered }),
  'too-long': () => ({ state: state(), turns: [turn(answered), turn(tooLong, 'over', 2)], script: answered }),
  branches: () => ({
    state: state(),
    turns: [
      turn(answered),
      turn(brief, 'over', 2, 'And the flags?'),
      { ...turn(brief, 'over', 3, 'And the environment?'), insteadOf: 't-2' },
      turn(brief, 'over', 4, 'Why?'),
    ],
    script: answered,
  }),
  changes: () => ({
    state: state(),
    turns: [
      turn(ended(EDIT_FOX, []), 'over', 1, WRITE_REQUEST),
      turn(ended(NEW_GUIDE, []), 'over', 2, 'Write a guide.'),
    ],
    script: answered,
  }),
  rewind: () => ({
    state: state(),
    turns: [
      turn(answered),
      turn(ended(EDIT_FOX, []), 'over', 2, WRITE_REQUEST),
      turn(brief, 'over', 3, 'And the flags?'),
    ],
    script: answered,
  }),
  figures: () => {
    const scene = long(60);
    scene.turns[5] = turn(traced, 'over', 6, WRITE_REQUEST);
    return {
      ...scene,
      figures: (of) =>
        figuresOf(of, 500, NOON, {
          sessionId: LOADER.sessionId,
          projectId: FOXES.projectId,
          requestIds: ['t-5', 't-6', 't-7'],
        }),
    };
  },
  'unknown-finish': () => ({ state: state(), turns: [turn(ranDry)], script: answered }),
  traced: () => ({ state: state(), turns: [turn(traced, 'over', 1, WRITE_REQUEST)], script: answered }),
  'traced-waiting': () => ({
    state: state(),
    turns: [turn(tracedWaiting, 'running', 1, WRITE_REQUEST)],
    script: answered,
  }),
  'traced-hostile': () => ({ state: state(), turns: [turn(tracedHostile)], script: answered }),
  'traced-many': () => ({
    state: state(),
    turns: [turn(answered)],
    script: answered,
    spans: (ids) => manySpans(ids, NOON, 100_000),
  }),
  'traced-long': () => ({ state: state(), turns: [turn(tracedLong(25))], script: answered }),
  chosen: () => ({ state: state(), turns: [turn(chosen)], script: answered }),
  wanting: () => ({ state: state(), turns: [turn(wanting)], script: answered }),
  budget: () => ({ state: state(), turns: [turn(exhausted)], script: answered }),
  interrupted: () => ({ state: state(), turns: [turn(answering, 'interrupted')], script: answered }),
  reading: () => ({ state: state(), turns: [turn(reading)], script: reading }),
  rich: () => ({ state: state(), turns: [turn(rich)], script: rich }),
  'hostile-rich': () => ({ state: state(), turns: [turn(hostileRich)], script: answered }),
  'rich-large': () => ({ state: state(), turns: [turn(answered)], script: largeFormulas }),
  'diagrams-large': () => ({ state: state(), turns: [turn(answered)], script: largeDiagrams }),
  'rich-dear': () => ({ state: state(), turns: [turn(answered)], script: dearFormulas }),
  'diagrams-dear': () => ({ state: state(), turns: [turn(dearDiagrams)], script: dearDiagrams }),
  diagrams: () => ({ state: state(), turns: [turn(diagrams)], script: answered }),
  'hostile-diagrams': () => ({ state: state(), turns: [turn(hostileDiagrams)], script: answered }),
  'hostile-links': () => ({ state: state(), turns: [turn(hostileLinks)], script: answered }),
  hostile: () => ({ state: state(), turns: [turn(hostile)], script: answered }),
  flood: () => ({ state: state({ sessions: [] }), turns: [], script: flood(6_000, 0.5) }),
  slow: () => ({ state: state({ sessions: [] }), turns: [], script: flood(600, 20) }),
  gaps: () => ({
    state: state({ sessions: [] }),
    turns: [],
    script: answered,
    loses: (index, update) =>
      update.type === 'event' && (index % 5 === 3 || update.envelope.event.type === 'tool_result'),
  }),
  'write-growing': () => ({ state: state({ sessions: [] }), turns: [], script: growing }),
  'write-live': () => ({ state: state({ sessions: [] }), turns: [], script: proposing(EDIT_FOX) }),
  'write-streaming': () => write(writing(NEW_GUIDE, guide(4))),
  'write-checking': () => write(checking),
  'write-correcting': () => write(correcting),
  'write-ready': () => write(proposing(EDIT_FOX)),
  'write-repeats': () => write(repeatingItself),
  'write-two': () => ({ ...write(proposing(EDIT_FOX)), goesOn: withAnother }),
  'write-create': () => write(proposing(NEW_GUIDE)),
  'write-hostile': () => write(proposing(HOSTILE)),
  'write-cut': () => write(proposing(MINIFIED)),
  'write-shrinks': () => write(proposing(SHRUNK)),
  'write-gave-up': () => write(gaveUp, 'over'),
  'write-legacy': () => write(proposing(LEGACY)),
  'write-large': () => write(proposing(large())),
  'write-long-new': () => write(proposing(longNew())),
  'write-binary': () => write(proposing(LOGO)),
  'write-emptied': () => write(proposing(NO_LOGO)),
  'write-empty': () => write(proposing(EMPTY)),
  'write-changed': changedOnDisk,
  'write-renewed': renewed,
  'write-renewing': () => write(proposing(EDIT_CHANGED)),
  'write-flaky': () => flaky('write', 2),
  'write-torn': () => flaky('write_rows', 1),
  'write-stale': () => write(proposing(EDIT_STALE)),
  'write-waiting': () => write(proposing(EDIT_FOX), 'waiting'),
  'other-version': () => write(proposing(EDIT_FOX), 'other_version'),
  'write-interrupted': () => write(brokenOff, 'interrupted'),
  'write-done': () => write(ended(EDIT_FOX, [2]), 'over'),
  'write-whole': () => write(ended(EDIT_FOX, []), 'over'),
  'write-undone': () => {
    const scene = write(ended(EDIT_FOX, [2]), 'over');
    for (const desk of scene.turns.flatMap(({ recording }) => recording.desks)) desk.undo();
    return scene;
  },
  'write-rejected': () => write(ended(EDIT_FOX, null), 'over'),
  'write-failed': () => write(refusedByDisk, 'over'),
  'write-unknown': () => write(unknownOutcome, 'over'),
  sidebar: () => ({ state: state({ sessions: [...LISTED] }), turns: [turn(answered)], script: answered }),
  'sidebar-unwritten': () => ({
    state: state({ sessions: [...LISTED, ...UNWRITTEN] }),
    turns: [turn(answered)],
    script: answered,
  }),
  many: () => ({ state: state({ sessions: [...SESSIONS, ...MANY] }), turns: [turn(answered)], script: answered }),
  long: () => long(140),
  'long-short': () => long(100, brief),
  'long-slow': () => ({ ...long(100, brief), answerMs: 400 }),
  'long-flaky': () => {
    let asked = 0;
    const refuses: Scene['refuses'] = (query) =>
      query.type === 'session' && query.place.type === 'before' && ++asked === 1
        ? error('storage', 'The store did not answer.', 'Try again.')
        : null;
    return { ...long(100, brief), refuses };
  },
};

export function sceneOf(name: string): Scene {
  const scene = SCENES[name] ?? SCENES['finished'];
  if (!scene) throw new Error(`There is no scene ${name}.`);
  return scene();
}
