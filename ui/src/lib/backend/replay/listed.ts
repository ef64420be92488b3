// The lists of sessions, as the core gives them: what a person changes in them, and their pages.

import type { Op } from '$lib/generated/Op';
import type { Session } from '$lib/generated/Session';
import type { SessionPlace } from '$lib/generated/SessionPlace';
import { newestFirst, sessionsOf } from '$lib/model/app';
import { SESSIONS } from './told';

type Change = Extract<Op, { type: 'rename_session' | 'pin_session' | 'archive_session' }>;

export function changedBy(op: Change): Partial<Session> {
  if (op.type === 'rename_session') return { title: op.title };
  if (op.type === 'pin_session') return op.pinned ? { pinned: true, archived: false } : { pinned: false };
  return op.archived ? { archived: true, pinned: false } : { archived: false };
}

export function sessionsAfter(
  all: readonly Session[],
  projectId: string,
  after: SessionPlace | null,
): { sessions: Session[]; more: boolean } {
  const later = sessionsOf(all, projectId).filter(
    (session) => !session.pinned && !session.archived && (after === null || newestFirst(after, session) < 0),
  );
  return { sessions: later.slice(0, SESSIONS), more: later.length > SESSIONS };
}
