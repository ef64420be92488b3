// The side panel: its tabs, the files of the project, what was written, and the replay of a turn.

import type { ChangedFile } from '$lib/generated/ChangedFile';
import { count, number } from '$lib/model/words';

export const panel = {
  label: 'Side panel',
  trace: 'Trace',
  changes: 'Changes',
  files: 'Files',
};

export const files = {
  filter: 'Filter files',
  mention: (path: string) => `Put ${path} into the message`,
  open: (path: string) => `Open ${path}`,
  foot: (entries: number, isPart: boolean, watching: string) =>
    `${isPart ? 'The first ' : ''}${count(entries, 'entry', 'entries')} · ${watching}`,
  starting: 'Starting to watch for changes',
  watching: 'Watching for changes',
  polling: (why: string) => `Looking for changes every few seconds: ${why}`,
  off: (why: string) => `Not watching: ${why}`,
  noFolder: 'Open a folder to see its files.',
};

export const replayed = {
  replay: 'Replay',
  what: 'Plays the recorded turn again, without a model or tools, and checks that every event is the same',
  field: 'Field',
  recorded: 'Recorded',
  now: 'Now',
  nothing: 'nothing',
  loading: 'Replaying …',
  phases: { action_phase: 'answering', tool_phase: 'a tool step', check_phase: 'the checks', complete: 'the end' },
  step: (step: number) => `step ${number(step)}`,
  same: (events: number) =>
    events === 1
      ? 'The event is the same as when the turn ran.'
      : `All ${count(events, 'event')} are the same as when the turn ran.`,
  further: (events: number, event: string, where: string) =>
    `After the ${count(events, 'recorded event')} there is now another one: ${event}, in ${where}.`,
  different: (at: number, events: number, event: string, where: string) =>
    `Event ${number(at)} of ${number(events)} is not what was recorded: ${event}, in ${where}.`,
  laterVersion: (flags: readonly number[]) =>
    `A later Orion recorded this turn, by rules that this one does not know (${flags.map((flag) => number(flag)).join(', ')}).`,
};

export const changes = {
  label: 'Changes',
  whose: 'Which changes',
  session: 'Session',
  lastTurn: 'Last turn',
  undoAll: 'Undo all',
  noneInSession: 'No file was written or changed by a command in this session, or everything was undone.',
  noneInTurn: 'No file was written or changed by a command in this turn, or everything was undone.',
  written: 'Files that were changed',
  facts: ({ created, removed, writes, commands }: Pick<ChangedFile, 'created' | 'removed' | 'writes' | 'commands'>) =>
    [
      created && !removed ? 'new' : '',
      removed ? 'removed' : '',
      writes.length > 1 ? count(writes.length, 'write') : '',
      commands === 0 ? '' : commands === 1 ? 'by a command' : `by ${count(commands, 'command')}`,
    ]
      .filter((part) => part !== '')
      .join(', '),
  cannotUndo: 'cannot be undone',
  cannotUndoWhy: (why: string) => `It cannot be undone: ${why}.`,
  undo: (path: string) => `Undo ${path}`,
  changedSince: 'changed since then, so it cannot be undone',
  askUndoAll: (files: number) => `Undo all ${count(files, 'file')}?`,
  undoAllWhat:
    'What Orion wrote and what commands changed is undone, newest first. Files that have changed since then are kept.',
};

export const changedRows = {
  label: 'Difference',
  showAgain: 'Show it again',
  same: 'No line differs.',
  line: (line: number) => `Line ${number(line)}`,
  unchanged: (lines: number) => count(lines, 'unchanged line'),
};
