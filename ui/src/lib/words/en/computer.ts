// The report of this computer, and the way to it.

import { count } from '$lib/model/words';

/** `Orion 0.2.0 (5dade4d)`, without the commit in a build that nobody packs. */
const built = (version: string, commit: string | null) => `Orion ${version}${commit === null ? '' : ` (${commit})`}`;

export const computer = {
  title: 'About this computer',
  built,
  looking: 'Looking at this computer. Each endpoint is asked for its models, which can take some seconds.',
  lookingAgain: 'Looking again',
  lookAgain: 'Look again',
  well: 'All is well. Orion has what it needs.',
  wrong: (errors: number, warnings: number) =>
    [
      errors > 0 ? `${count(errors, 'thing')} ${errors === 1 ? 'does' : 'do'} not work` : '',
      warnings > 0 ? count(warnings, 'warning') : '',
    ]
      .filter((part) => part !== '')
      .join(', ')
      .concat('.'),
  severities: { error: 'Does not work', warning: 'Warning' },
  troubles: 'What is wrong, and what to do',
  findings: 'What was found',
  copyReport: 'Copy the report',
  names: 'Names no key, person, folder or private address.',
  subjects: {
    system: 'System',
    window: 'Window',
    display: 'Display',
    keychain: 'Keychain',
    settings: 'Settings',
    data: 'Data folder',
    disk: 'Disk',
    clock: 'Clock',
    sandbox: 'Sandbox',
    proxy: 'Proxy',
    endpoint: 'Endpoint',
    servers: 'Model servers',
  },
};
