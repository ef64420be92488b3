// The checks of a project: in the settings, and in the cards that offer one or say that its script changed.

import type { CheckSkipped } from '$lib/generated/CheckSkipped';
import type { CheckStatus } from '$lib/generated/CheckStatus';

const count = (number: number) => (number === 1 ? 'a check' : `${number} checks`);

export const checks = {
  title: 'Checks',
  about:
    'Commands that say whether the project works. They run in a sandbox, without network, after a turn that changed a file. Nothing in the folder adds or changes one.',
  byThemselves: 'When they run',
  none: 'This project has no checks.',
  noProject: 'Open a project to see its checks.',
  proposedTitle: 'Proposed by files of the project',
  proposedAbout: 'They were read and not run. A check runs only after you have accepted it.',
  from: (file: string) => `from ${file}`,

  status: {
    passed: 'Passed',
    failed: 'Failed',
    timed_out: 'Timed out',
    skipped: 'Skipped',
    stopped: 'Stopped',
  } satisfies Record<CheckStatus, string>,
  skipped: {
    script_changed: 'its script changed',
    no_sandbox: 'no sandbox holds it',
    seconds: 'the seconds of the turn were used up',
    cost: 'the money of the turn was used up',
    stopped: 'it was stopped before it began',
    not_started: 'it could not be started',
    no_longer_accepted: 'it was removed, switched off or accepted anew',
  } satisfies Record<CheckSkipped, string>,
  last: (status: string, ago: string) => `${status} ${ago}`,
  noResult: 'No result yet',
  running: 'Runs now',

  on: 'Runs by itself',
  onOf: (name: string) => `${name} runs by itself`,
  run: 'Run',
  runOf: (name: string) => `Run ${name}`,
  stop: 'Stop',
  edit: 'Edit',
  editOf: (name: string) => `Edit ${name}`,
  remove: 'Remove',
  removeOf: (name: string) => `Remove ${name}`,
  add: 'Add a check',
  output: (name: string) => `Output of ${name}`,

  line: 'Line',
  script: 'What it runs',
  noScript: 'It runs no script of the project.',
  tooLong:
    'It is longer than can be shown, so it cannot be accepted. Name the program that the check is for, or a shorter script.',
  accept: 'Accept',
  acceptOf: (name: string) => `Accept ${name}`,
  acceptNew: 'Accept the new script',
  accepting: 'In a full sandbox it runs once now, so that its result is known.',
  changed: 'Its script changed, so it does not run.',
  before: 'Accepted',
  now: 'Now',
  nothing: 'nothing',

  name: 'Name',
  nameHint: 'letters, digits and hyphens',
  command: 'Command',
  commandHint: 'a line for the shell',
  seconds: 'Time',
  secondsHint: 'seconds, then it is ended',
  paths: 'Files',
  pathsHint: 'patterns such as src/**, one on each line; none is all files',
  look: 'Show what it runs',
  cancel: 'Cancel',

  offer: (number: number) => `The project's files propose ${count(number)}.`,
  offerAbout: 'Orion can run them after a turn that changed a file. Look at each before you accept it.',
  offerLook: 'Look at them',
  offerNo: 'Not now',
};
