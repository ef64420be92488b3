// Tool calls and writes in the chat, and what a person is asked about them.

import { bytes, count, number } from '$lib/model/words';

export const tool = {
  label: (name: string) => `Tool ${name}`,
  arguments: 'Arguments',
  result: 'Result',
  asText: 'written as text',
  made: 'As the model wrote it',
  madeAs: (name: string, args: string) => `${name} ${args}`,
  proposed: 'You changed the arguments. The model had asked for:',
  noResult: 'No result yet.',
  loading: 'Loading the result…',
  empty: 'The result is empty.',
  dropped: 'What the tool returned. You dropped it: the model was only told that it ran.',
  edited: (size: number) =>
    `What the tool returned. You edited it: the model was given ${bytes(size)} of your text in its place.`,
  seen: (size: number) => `What the model saw, ${bytes(size)}`,
  seenCut: (size: number) => `What the model saw, cut from ${bytes(size)}`,
};

/** Orion's own tools, in words. */
export const toolNames = {
  verbs: {
    list_files: 'List',
    read_file: 'Read',
    read_output: 'Read output',
    search_files: 'Search',
    file_info: 'Look at',
    write_plan_begin: 'Write',
    ask_user: 'Ask you',
    run_command: 'Run',
  },
  running: {
    list_files: 'Listing a folder',
    read_file: 'Reading a file',
    read_output: 'Reading the output',
    search_files: 'Searching files',
    file_info: 'Looking at a file',
    write_plan_begin: 'Beginning a file',
    run_command: 'Running a command',
  },
  questions: {
    list_files: 'List a folder now?',
    read_file: 'Read a file now?',
    read_output: 'Read more of the output now?',
    search_files: 'Search files now?',
    file_info: 'Look at a file now?',
    write_plan_begin: 'Begin to write a file now?',
  },
};

export const writeBox = {
  label: (path: string) => `Write ${path}`,
  title: (path: string, intent: string) => `${path}: ${intent}`,
  watch: 'Watch',
  show: 'Show',
  review: 'Review',
};

export const approval = {
  question: (name: string) => `Run ${name} now?`,
  why: {
    default: '',
    user: 'Your settings ask about this.',
    project: "This project's settings ask about this.",
    always: 'Orion always asks about this.',
    leaked: 'The model put it into its text. It may have been meant for you to read.',
  },
  arguments: 'Arguments of the call',
  defaults: (defaults: number) => count(defaults, 'default'),
  change: 'Change arguments',
  reject: 'Reject',
  once: 'Allow once',
  unreadable: (names: readonly string[]) => `${names.join(', ')}: write a number, true or false, or JSON.`,
  hides: 'With what hides in it:',
  runWithThese: 'Run with these',
  more: 'More',
  allow: 'Allow from now on',
  allowSession: 'This session',
  allowProject: 'Always in this project',
  whyNot: 'Tell the model why not',
  rejectAndSay: 'Reject and say why',
  rejectAndStop: 'Reject and stop',
};

export const questions = {
  label: 'Questions of the model',
  yes: 'Yes',
  no: 'No',
  ownWords: 'In your own words',
  dismiss: 'Skip',
  dismissWhat: 'Leave it to the model',
  answer: 'Answer',
};

export const repeats = {
  question: (times: number) => (path: string) =>
    `${path} only repeats itself: the same ${count(times, 'time')} in a row. Is that intended?`,
  what: 'What is repeated',
  choices: {
    discard: { label: 'Discard', title: 'Write nothing' },
    keep_one: { label: 'Keep one', title: 'Keep the first of the repeats, and look at what there is' },
    go_on: { label: 'Go on', title: 'The file may repeat itself: ask the model for the rest' },
  },
};

export const pause = {
  label: 'Paused',
  goesOn: 'The turn goes on when you resume it.',
  resume: 'Resume',
  resumeChanged: 'Resume with your changes',
  resultOf: (name: string, argument: string) => `Result of ${name} ${argument}`,
  dropped: 'The model is only told that it ran, and that you dropped its result.',
  given: 'What the model is given',
  edited: 'The model is given this text alone, and is told that you edited it.',
  edit: 'Edit result',
  drop: 'Drop result',
  back: 'Restore the result',
};

export const phaseBar = {
  stopping: 'Stopping',
  waitingForModel: 'Waiting for the model',
  figure: (figure: string) => `· ${figure}`,
  seconds: (seconds: number) => `${number(seconds)} s`,
  secondsLeft: (seconds: number) => `${number(seconds)} s left`,
  review: 'Review',
  reject: 'Reject',
  retryNow: 'Retry now',
  stop: 'Stop',
  stopKey: 'Esc',
  escape: {
    drawer: 'Esc closes the side',
    wide: 'Esc shows the chat',
    difference: 'Esc closes the change',
  },
  pauseAfterTool: 'Pause after tool',
  pause: 'Pause',
  pauseWhat: 'Pause after this step',
  pauseNow: 'Pause now',
  pauseNowWhat:
    'Cut the answer off now. What has come is kept, and resuming asks the model to go on, which takes a step.',
};
