// The files that a command changed.

import { count, number } from '$lib/model/words';

export const shellFiles = {
  label: 'Files that the command changed',
  changed: (files: number) => `${count(files, 'file')} changed`,
  lines: (added: number, removed: number) => `+${number(added)} −${number(removed)}`,
  kinds: { created: 'new', changed: 'changed', removed: 'removed', mode: 'permissions' },
  leadsOut: 'link out of the project',
  difference: (path: string) => `Difference of ${path}`,
  undoWhat: (path: string) => `Undo what the command did to ${path}`,
  undoAll: 'Undo all',
  undone: 'Undone',
  cannotUndo: (why: string) => `Cannot be undone: ${why}.`,
  changedSince: 'The file has changed since, so it cannot be undone as it is.',
  showAll: (more: number) => `Show ${number(more)} more`,
  notNamed: (more: number) => `${count(more, 'more file')} changed and ${more === 1 ? 'is' : 'are'} not named here.`,
  partly: 'Orion could not look at the whole project before and after: other files may have changed.',
};
