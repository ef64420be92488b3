// Commands that the model runs: the question about one, what holds it, its output while it runs, and how it ended.

import { bytes, count, number } from '$lib/model/words';

const listed = (names: readonly string[]) =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

export const shell = {
  question: 'Run this command?',
  line: 'The command',
  levels: { full: 'Sandbox: full', none: 'No sandbox', outside: 'Outside the sandbox' },
  reason: 'The model says:',
  inRoot: 'In the project folder',
  inFolder: (folder: string) => `In the folder ${folder}`,
  atMost: (seconds: number) => `at most ${number(seconds)} s`,
  toItsEnd: 'Scroll to the end of the command: you can allow or change it once you have seen all of it.',
  asksSince: (why: string) => `Orion asks: ${why}`,
  nothingHolds: 'Nothing holds this command: it can do whatever you can do on this computer.',
  mend: 'Copy this command',
  reads: (folders: number) => `It can read ${count(folders, 'folder')} of your home`,
  every: 'Run commands in the sandbox without asking',
  everyWhat: 'Every line that no rule denies, and never outside the sandbox. A call written as text still asks.',
  thisSession: 'This session',
  thisProject: 'This project',
  outside: 'Run outside the sandbox',
  outsideWhat: 'Just this once. Nothing holds it there: it can do whatever you can do.',
  needsOutside: 'It likely writes to .git, which is read-only in the sandbox. Outside it, nothing holds the command.',
  soFar: 'Output so far',
  nothingYet: 'No output yet.',
  runs: (seconds: number) => `${number(seconds)} s`,
  stop: 'Stop',
  ends: {
    exited: (code: number) => `Exit code ${code}`,
    signalled: (signal: number) => `Ended by signal ${number(signal)}`,
    timed_out: 'Timed out',
    stopped: 'Stopped by you',
    memory: 'Ended: too much memory',
    processes: 'Ended: too many processes',
    flood: 'Ended: too much output',
    disk: 'Ended: the disk was nearly full',
    not_started: 'Not started',
    unknown: 'How it ended is not known',
  },
  wrote: (size: number) => `${bytes(size)} of output`,
  wroteNothing: 'no output',
  leftRunning: (names: readonly string[]) =>
    `It left ${listed(names)} running; ${names.length === 1 ? 'that' : 'they'} ended with it.`,
  ports: (ports: readonly number[]) =>
    `At its end something of it listened on ${ports.length === 1 ? 'port' : 'ports'} ${listed(ports.map(String))}.`,
  runLater: 'Files that can run code later',
  isNew: 'new',
  changed: 'changed',
  moreRunLater: 'There may be more of them.',
  remove: 'Remove',
  removeWhat: (path: string) => `Remove ${path}`,
  removed: 'Removed',
  all: 'All output',
  loading: 'Loading the output…',
  notKept: 'The output is not kept any more.',
  find: 'Find in the output',
  leftOut: (size: number) => `${bytes(size)} here were not kept.`,
  copyOutput: 'Copy the output',
  copy: 'Copy for your terminal',
};
