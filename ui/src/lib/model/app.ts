// Everything the window shows, folded from updates by a pure reducer. Not here: asking the core, clocks, the DOM.

import type { Aftermath } from '$lib/generated/Aftermath';
import type { AppState } from '$lib/generated/AppState';
import type { ErrorInfo } from '$lib/generated/ErrorInfo';
import type { Project } from '$lib/generated/Project';
import type { ProjectSettings } from '$lib/generated/ProjectSettings';
import type { Rewind } from '$lib/generated/Rewind';
import type { Session } from '$lib/generated/Session';
import type { SessionPlace } from '$lib/generated/SessionPlace';
import type { Settings } from '$lib/generated/Settings';
import type { TurnPage } from '$lib/generated/TurnPage';
import type { Undone } from '$lib/generated/Undone';
import type { Update } from '$lib/generated/Update';
import type { WriteView } from '$lib/generated/WriteView';
import type { Envelope } from '$lib/generated/Envelope';
import { NO_CHANGE, NO_LIMITS, ofRoutes } from './bounds';
import * as chat from './chat';
import type { Chat, PageOf } from './chat';
import { foldEnvelope, type Turn } from './turn';
import { rewound, takenBack, viewed } from './write';

export interface Model {
  /** Null until the core's first answer. */
  settings: Settings | null;
  /** What is in force in each project, as it was last told. */
  projectSettings: Readonly<Record<string, ProjectSettings>>;
  version: string;
  projects: readonly Project[];
  sessions: readonly Session[];
  /** Projects that have sessions older than those that are known, and the place from which on they have. */
  older: Readonly<Record<string, SessionPlace>>;
  /** The sessions in memory: the open one, and those whose newest turn runs. */
  chats: Readonly<Record<string, Chat>>;
  /** Grows when files of the project changed on disk. */
  filesRevision: Readonly<Record<string, number>>;
  /** What went wrong outside any turn and was not dismissed. */
  problems: readonly { id: number; error: ErrorInfo }[];
  problemsSeen: number;
  /** Grows when updates were lost and the state must be asked for again. */
  lagged: number;
  /** Grows when what happened to turns after they were over may have changed: an answer that was asked for before may not know of it. */
  aftermathRevision: number;
}

export type InForce = Omit<ProjectSettings, 'projectId'>;

export const EMPTY: Model = {
  settings: null,
  projectSettings: {},
  version: '',
  projects: [],
  sessions: [],
  older: {},
  chats: {},
  filesRevision: {},
  problems: [],
  problemsSeen: 0,
  lagged: 0,
  aftermathRevision: 0,
};

/** Problems shown at once. A further one replaces the oldest. */
const MAX_PROBLEMS = 4;

export function fold(model: Model, update: Update): Model {
  switch (update.type) {
    case 'event':
      return foldEvent(model, update.envelope);
    case 'project':
      return { ...model, projects: upsert(model.projects, update.project, (project) => project.projectId) };
    case 'project_forgotten':
      return withoutSessions(
        { ...model, projects: model.projects.filter((project) => project.projectId !== update.projectId) },
        model.sessions.filter((session) => session.projectId === update.projectId).map((session) => session.sessionId),
      );
    case 'session':
      // One that never had a turn is known to its first one.
      return withNewChat(update.session, {
        ...model,
        sessions: upsert(model.sessions, update.session, (session) => session.sessionId),
      });
    case 'session_deleted':
      return withoutSessions(model, [update.sessionId]);
    case 'tip_moved':
      return update.sessionId in model.chats
        ? withChat(revised(model), update.sessionId, chat.moveTip(chatOf(model, update.sessionId), update.tip))
        : model;
    case 'settings':
      return { ...model, settings: update.settings };
    case 'project_settings':
      return foldProjectSettings(model, update.settings);
    case 'files_changed': {
      const revision = (model.filesRevision[update.projectId] ?? 0) + 1;
      return { ...model, filesRevision: { ...model.filesRevision, [update.projectId]: revision } };
    }
    case 'lagged':
      return { ...revised(model), lagged: model.lagged + 1 };
    case 'problem':
      return addProblem(model, update.error);
    default:
      return model; // E3
  }
}

export function foldAll(model: Model, updates: readonly Update[]): Model {
  return updates.reduce(fold, model);
}

/**
 * Takes the core's whole state, which replaces the window's. Turns in memory stay, and so do sessions that are too old to be in the state;
 * of those that are pinned or archived it knows all.
 */
export function foldState(model: Model, state: AppState): Model {
  const { settings, version, projects, sessions, apart } = state;
  const last = sessions.at(-1);
  const told = new Set(apart.map(({ sessionId }) => sessionId));
  const kept = model.sessions
    .filter(
      (known) =>
        last && state.older.includes(known.projectId) && newestFirst(last, known) < 0 && !told.has(known.sessionId),
    )
    .map((known) => (known.pinned || known.archived ? { ...known, pinned: false, archived: false } : known));
  const older = state.older.flatMap((id): [string, SessionPlace][] => {
    const from = model.older[id];
    // Of a project that was known to its oldest session, what is kept are all of them.
    if (!last || (!from && kept.some((known) => known.projectId === id))) return [];
    return [[id, from && newestFirst(last, from) < 0 ? from : placeOf(last)]];
  });
  return {
    ...model,
    settings,
    version,
    projects,
    sessions: [...sessions, ...apart, ...kept],
    older: Object.fromEntries(older),
  };
}

const placeOf = ({ updatedAtMs, sessionId }: Session): SessionPlace => ({ updatedAtMs, sessionId });

/** Sessions that came while the state was asked for, and that it does not know yet. */
export function come(asked: Model, before: Model, now: Model): Update[] {
  const missing = before.sessions.filter(
    ({ sessionId }) => ![...asked.sessions, ...now.sessions].some((session) => session.sessionId === sessionId),
  );
  return missing.map((session): Update => ({ type: 'session', session }));
}

/** What was known and is there no more: another process has deleted it. */
export function gone(before: Model, now: Model): Update[] {
  const projects = before.projects.filter(
    ({ projectId }) => !now.projects.some((project) => project.projectId === projectId),
  );
  const sessions = before.sessions.filter(
    ({ sessionId }) => !now.sessions.some((session) => session.sessionId === sessionId),
  );
  return [
    ...projects.map(({ projectId }): Update => ({ type: 'project_forgotten', projectId })),
    ...sessions.map(({ sessionId }): Update => ({ type: 'session_deleted', sessionId })),
  ];
}

/** Sessions of a project in the order of `SessionPlace`. */
export function sessionsOf(sessions: readonly Session[], projectId: string): Session[] {
  return sessions.filter((session) => session.projectId === projectId).toSorted(newestFirst);
}

export function newestFirst(a: SessionPlace, b: SessionPlace): number {
  return b.updatedAtMs - a.updatedAtMs || (a.sessionId < b.sessionId ? -1 : Number(a.sessionId > b.sessionId));
}

/** The result of asking a project for older sessions than are known. */
export function foldOlder(model: Model, projectId: string, sessions: readonly Session[], more: boolean): Model {
  const fresh = sessions.filter((session) => !model.sessions.some((known) => known.sessionId === session.sessionId));
  const last = sessions.at(-1);
  const older = more && last ? { ...model.older, [projectId]: placeOf(last) } : without(model.older, [projectId]);
  return { ...model, sessions: [...model.sessions, ...fresh], older };
}

/** A fault that is new is a problem to show; one that was told before may have been dismissed. */
export function foldProjectSettings(model: Model, settings: ProjectSettings): Model {
  const told = model.projectSettings[settings.projectId]?.problems.map((problem) => problem.message) ?? [];
  const next = { ...model, projectSettings: { ...model.projectSettings, [settings.projectId]: settings } };
  return settings.problems.filter((problem) => !told.includes(problem.message)).reduce(addProblem, next);
}

export function chatOf(model: Model, sessionId: string): Chat {
  return model.chats[sessionId] ?? chat.UNKNOWN_CHAT;
}

export function foldPage(model: Model, of: PageOf, page: TurnPage): Model {
  return withChat(model, of.sessionId, chat.foldPage(chatOf(model, of.sessionId), of, page));
}

export function holds(model: Model, requestId: string): boolean {
  return Object.values(model.chats).some((known) => chat.turnOf(known, requestId) !== null);
}

/** Takes the missing events of a turn. A turn that was dropped in the meantime needs none (T6). */
export function foldMissing(model: Model, envelopes: readonly Envelope[]): Model {
  return envelopes.reduce(
    (next, envelope) => patchTurn(next, envelope.requestId, (turn) => foldEnvelope(turn, envelope)),
    model,
  );
}

/** Drops turns of an open session that are far from what the person looks at. */
export function forget(
  model: Model,
  sessionId: string,
  end: 'first' | 'last',
  inView: ReadonlySet<string>,
  needed: ReadonlySet<string>,
): Model {
  return withChat(model, sessionId, chat.forget(chatOf(model, sessionId), end, inView, needed));
}

/** Drops the sessions that are not open, except for turns that run. */
export function leave(model: Model, open: string | null): Model {
  return Object.entries(model.chats).reduce<Model>(
    (next, [sessionId, known]) => (sessionId === open ? next : withChat(next, sessionId, chat.unattended(known))),
    model,
  );
}

function withNewChat(session: Session, model: Model): Model {
  const isNew = session.turns === 0 && !(session.sessionId in model.chats);
  return isNew ? withChat(model, session.sessionId, chat.NEW_CHAT) : model;
}

function withChat(model: Model, sessionId: string, next: Chat | null): Model {
  const before = chatOf(model, sessionId);
  if (next === before) return model;
  const chats = next ? { ...model.chats, [sessionId]: next } : without(model.chats, [sessionId]);
  return { ...model, chats };
}

/** What the core says about a write session. */
export function foldWrite(model: Model, view: WriteView): Model {
  return patchTurn(model, view.requestId, (turn) => viewed(turn, view));
}

export function foldUndone(model: Model, undone: readonly Undone[]): Model {
  return undone.reduce((next, one) => patchTurn(next, one.requestId, (turn) => takenBack(turn, one)), revised(model));
}

/** The writes that a rewind undid, or that undoing it brought back (A10). */
export function foldRewound(model: Model, { writes, undone }: Rewind): Model {
  return writes.reduce(
    (next, { requestId, write }) => patchTurn(next, requestId, (turn) => rewound(turn, write, !undone)),
    revised(model),
  );
}

/** A person undid the compaction that this turn made (X4). */
export function foldCompactionUndone(model: Model, requestId: string): Model {
  return patchTurn(revised(model), requestId, (turn) => ({ ...turn, compactionUndone: true }));
}

function revised(model: Model): Model {
  return { ...model, aftermathRevision: model.aftermathRevision + 1 };
}

/** What happened to turns after they were over, as the core says. */
export function foldAftermath(model: Model, turns: Readonly<Record<string, Aftermath>>): Model {
  const next = Object.entries(turns).reduce(
    (folded, [requestId, aftermath]) => patchTurn(folded, requestId, (turn) => chat.withAftermath(turn, aftermath)),
    model,
  );
  return next === model ? model : revised(next);
}

/** With all that is known of their turns. */
function withoutSessions(model: Model, gone: readonly string[]): Model {
  const sessions = model.sessions.filter((session) => !gone.includes(session.sessionId));
  return gone.reduce<Model>((next, sessionId) => withChat(next, sessionId, null), { ...model, sessions });
}

function without<T>(record: Readonly<Record<string, T>>, keys: readonly string[]): Readonly<Record<string, T>> {
  const gone = new Set(keys);
  return Object.fromEntries(Object.entries(record).filter(([key]) => !gone.has(key)));
}

function patchTurn(model: Model, requestId: string, patch: (turn: Turn) => Turn): Model {
  for (const [sessionId, known] of Object.entries(model.chats)) {
    const next = chat.patchTurn(known, requestId, patch);
    if (next !== known) return { ...model, chats: { ...model.chats, [sessionId]: next } };
  }
  return model;
}

/** A problem that is shown already is not shown twice. */
export function addProblem(model: Model, error: ErrorInfo): Model {
  if (model.problems.some((shown) => shown.error.code === error.code && shown.error.message === error.message))
    return model;
  const id = model.problemsSeen + 1;
  return { ...model, problemsSeen: id, problems: [...model.problems, { id, error }].slice(-MAX_PROBLEMS) };
}

export function dismissProblem(model: Model, id: number): Model {
  return { ...model, problems: model.problems.filter((problem) => problem.id !== id) };
}

/** The settings of the next turn in a project (P3): the user's, until the project's are known. */
export function inForce(model: Pick<Model, 'settings' | 'projectSettings'>, projectId: string | null): InForce {
  const limits = model.settings?.limits ?? NO_LIMITS;
  const ofUser = {
    twoStageEnabled: model.settings?.twoStageEnabled ?? true,
    mode: model.settings?.mode ?? ('act' as const),
    limits: ofRoutes(limits),
    asked: NO_CHANGE,
    tools: [],
    problems: [],
  };
  return (projectId === null ? undefined : model.projectSettings[projectId]) ?? ofUser;
}

function foldEvent(model: Model, envelope: Envelope): Model {
  const before = chatOf(model, envelope.sessionId);
  const after = chat.foldEvent(before, envelope);
  return after === before ? model : { ...model, chats: { ...model.chats, [envelope.sessionId]: after } };
}

function upsert<T>(list: readonly T[], value: T, key: (value: T) => string | number): T[] {
  const at = list.findIndex((other) => key(other) === key(value));
  return at === -1 ? [...list, value] : list.with(at, value);
}
