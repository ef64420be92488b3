// What a person can do in the list of projects and sessions.

import type { FiguresOf } from '$lib/generated/FiguresOf';

/** What a person should know of a session that they do not look at. */
export type Badge = 'waiting' | 'done' | 'not_written' | 'no_answer' | 'failed';

export interface ListActions {
  newChat: (projectId: string) => void;
  forgetProject: (projectId: string) => void;
  /** Brings sessions of a project that are older than those in the list. */
  loadOlder: (projectId: string) => void;
  openSession: (sessionId: string) => void;
  renameSession: (sessionId: string, title: string) => void;
  deleteSessions: (sessionIds: readonly string[]) => void;
  pin: (sessionIds: readonly string[], pinned: boolean) => void;
  archive: (sessionIds: readonly string[], archived: boolean) => void;
  showFigures: (of: FiguresOf) => void;
  exportSession: (sessionId: string) => void;
}
