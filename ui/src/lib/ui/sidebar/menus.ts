// What can be done with a project or a session of the list, with several sessions at once, and where a person looks for help.

import type { Project } from '$lib/generated/Project';
import type { Session } from '$lib/generated/Session';
import type { Action } from '$lib/ui/common/ItemMenu.svelte';
import { words } from '$lib/words';
import type { ListActions } from './actions';
import type { Question } from './Asked.svelte';
import { sessionKey } from './roving.svelte';

export interface Menus {
  actions: ListActions;
  rename: (key: string) => void;
  ask: (question: Question) => void;
}

const say = words.sidebar;

export function actionsOfProject(project: Project, { actions, ask }: Menus): Action[] {
  const { projectId, path } = project;
  return [
    ...(path === '' ? [] : [{ label: say.newChat, run: () => actions.newChat(projectId) }]),
    { label: say.figures, focuses: true, run: () => actions.showFigures({ type: 'project', projectId }) },
    { label: say.forget, focuses: true, run: () => ask({ kind: 'forget', project }) },
  ];
}

/** `meant` are all that are selected, when `session` is one of them. */
export function actionsOfSession(meant: readonly Session[], session: Session, menus: Menus): Action[] {
  return meant.length > 1 ? actionsOfMany(meant, menus) : actionsOfOne(session, menus);
}

/** For a person who does not know how to go on. */
export function actionsOfHelp(help: {
  listShortcuts: () => void;
  takeTour: () => void;
  showComputer: () => void;
}): Action[] {
  return [
    { label: say.shortcuts, focuses: true, run: help.listShortcuts },
    { label: say.tour, focuses: true, run: help.takeTour },
    { label: say.computer, focuses: true, run: help.showComputer },
  ];
}

function actionsOfOne(session: Session, { actions, rename, ask }: Menus): Action[] {
  const { sessionId, pinned, archived } = session;
  return [
    { label: say.rename, focuses: true, run: () => rename(sessionKey(sessionId)) },
    { label: pinned ? say.unpin : say.pin, run: () => actions.pin([sessionId], !pinned) },
    { label: archived ? say.unarchive : say.archive, run: () => actions.archive([sessionId], !archived) },
    { label: say.figures, focuses: true, run: () => actions.showFigures({ type: 'session', sessionId }) },
    { label: say.exportSession, focuses: true, run: () => actions.exportSession(sessionId) },
    { label: say.deleteSession, focuses: true, run: () => ask({ kind: 'delete', sessions: [session] }) },
  ];
}

function actionsOfMany(sessions: readonly Session[], { actions, ask }: Menus): Action[] {
  const ids = sessions.map(({ sessionId }) => sessionId);
  const [pinned, archived] = [
    sessions.every((session) => session.pinned),
    sessions.every((session) => session.archived),
  ];
  return [
    pinned
      ? { label: say.unpinMany(ids.length), run: () => actions.pin(ids, false) }
      : { label: say.pinMany(ids.length), run: () => actions.pin(ids, true) },
    archived
      ? { label: say.unarchiveMany(ids.length), run: () => actions.archive(ids, false) }
      : { label: say.archiveMany(ids.length), focuses: true, run: () => ask({ kind: 'archive', sessions }) },
    { label: say.deleteMany(ids.length), focuses: true, run: () => ask({ kind: 'delete', sessions }) },
  ];
}
