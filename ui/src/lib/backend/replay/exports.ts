// What an export and an import of a session come to.

import type { AppState } from '$lib/generated/AppState';
import type { ChangesOf } from '$lib/generated/ChangesOf';
import type { ExportedFile } from '$lib/generated/ExportedFile';
import type { ExportFormat } from '$lib/generated/ExportFormat';
import type { Project } from '$lib/generated/Project';
import type { Session } from '$lib/generated/Session';
import type { Update } from '$lib/generated/Update';
import { NOON, session } from './fixtures';

const NO_FOLDER: Project = {
  projectId: 'p-imported',
  name: 'Imported',
  path: '',
  openedAtMs: NOON - 1,
  available: false,
};

/** The session of the scene `imported`. */
export const IMPORTED: Session = {
  ...session('s-imported', NO_FOLDER.projectId, 'How are the dens laid out?', 30),
  imported: true,
};

export function exportedOf(of: ChangesOf, format: ExportFormat, files: boolean): ExportedFile {
  const ends = { orion: 'orion', markdown: 'md', html: 'html' } as const;
  return {
    path: `/home/ada/${of.type}.${ends[format]}`,
    bytes: files ? 41_300 : 8_412,
    redacted: format === 'orion' ? 1 : 0,
    keysNotRead: [],
  };
}

export function importedInto(state: AppState): Update[] {
  if (!state.projects.includes(NO_FOLDER)) state.projects.push(NO_FOLDER);
  if (!state.sessions.includes(IMPORTED)) state.sessions.push(IMPORTED);
  return [
    { type: 'project', project: NO_FOLDER },
    { type: 'session', session: IMPORTED },
  ];
}
