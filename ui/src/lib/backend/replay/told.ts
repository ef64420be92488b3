// What the core tells of its state when a window opens, and of the turns of a session.

import type { AppState } from '$lib/generated/AppState';
import type { Session } from '$lib/generated/Session';
import type { TurnPage } from '$lib/generated/TurnPage';
import type { TurnPlace } from '$lib/generated/TurnPlace';
import type { TurnView } from '$lib/generated/TurnView';
import { newestFirst } from '$lib/model/app';
import { error } from './fixtures';

export { searchedIn } from './searched';

/** Sessions in a list, as the core gives them. */
export const SESSIONS = 200;

/** What the core tells of its state. */
export function told(state: AppState): AppState {
  const isApart = (session: Session) => session.pinned || session.archived;
  const sessions = state.sessions.filter((session) => !isApart(session)).toSorted(newestFirst);
  const older = new Set(sessions.slice(SESSIONS).map(({ projectId }) => projectId));
  return structuredClone({
    ...state,
    sessions: sessions.slice(0, SESSIONS),
    apart: state.sessions.filter(isApart),
    older: [...older],
  });
}

/** Turns of a path at a place. */
export function pageOf(path: readonly TurnView[], place: TurnPlace, most: number): TurnPage {
  const at = place.type === 'newest' ? path.length : path.findIndex(({ requestId }) => requestId === place.requestId);
  if (at === -1) throw error('turn_unknown', 'This turn is not there any more.', '');
  const ahead = place.type === 'after' || place.type === 'from';
  const from = ahead ? at + (place.type === 'after' ? 1 : 0) : Math.max(at - most, 0);
  const to = ahead ? Math.min(from + most, path.length) : at;
  return { turns: path.slice(from, to), earlier: from > 0, later: to < path.length, anew: false };
}
