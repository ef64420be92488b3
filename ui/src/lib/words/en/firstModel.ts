// The first model: what was found on this computer, a key that is pasted, and the list of models.

import { count } from '$lib/model/words';

export const firstModel = {
  title: 'Which model should answer?',
  sends: 'Orion sends your messages, and the parts of files they need, to that model and to nobody else.',
  looking: 'Looking for models on this computer…',
  found: 'Found on this computer',
  local: (model: string, server: string) => `Use ${model} with ${server} on this computer`,
  withKey: (model: string, variable: string) => `Use ${model} with the key from ${variable}`,
  untilPressed: 'Until you choose one, nothing is sent with a key.',
  key: 'Paste a key',
  keyExample: 'sk-…',
  whose: 'Whose key is it?',
  isOf: (provider: string) => `A key of ${provider}`,
  elsewhere: 'Another address or a server',
  connect: 'List its models',
  connecting: 'Asking for its models…',
  use: (model: string) => `Use ${model}`,
};

export const modelList = {
  all: (models: number) => count(models, 'model'),
  filter: 'Filter models',
  none: 'No model has that in its name.',
};

export const keyForm = {
  title: (endpoint: string) => `Key of ${endpoint}`,
  key: 'Key',
  save: 'Save',
  trying: 'Trying the key…',
  anyway: 'Save anyway',
};

/** A folder that is not where it was. */
export const folderGone = {
  what: (project: string) => `The folder ${project} is not there.`,
  where: (path: string) => `It was ${path}. If it was moved or renamed, its sessions go on where it is now.`,
  locate: 'Locate…',
};

/** What was found in the folder. */
export const folderFound = {
  files: (files: number, more: boolean) => (more ? `more than ${count(files, 'file')}` : count(files, 'file')),
  nothing: 'No files yet',
  git: 'git',
  sessions: 'Sessions here',
};
