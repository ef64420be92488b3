// The conversation: its frame, and what is said about messages, steps and answers in it.

import { count, dollars, duration, number } from '$lib/model/words';

export const chat = {
  newChat: 'New chat',
  app: 'Orion',
  sidebar: 'Sidebar',
  sidePanel: 'Side panel',
  loadAgain: 'Load again',
  imported: 'Opened from a file. This session can be read and replayed here, but not continued.',
  showWhatItAsks: 'Show what it asks',
  label: 'Conversation',
  loadingEarlier: 'Loading earlier turns',
  earlier: 'Earlier turns',
  loadingLater: 'Loading later turns',
  later: 'Later turns',
  earlierLoaded: (turns: number) => `${count(turns, 'earlier turn')} loaded`,
  jump: 'Jump to latest',
};

export const message = {
  showAll: 'Show all',
  showLess: 'Show less',
  edit: 'Your message',
  editWhat: 'What was said after it stays in its own branch. Files stay as they are.',
  send: 'Send',
  forkedFrom: (step: number) => (session: string) =>
    step === 0 ? `Forked from ${session}, from its message` : `Forked from ${session}, step ${number(step)}`,
  /** In the place of its title. */
  sessionNotHere: 'a session that is not here',
  steeredWaiting: 'The model reads this before its next answer.',
  steeredToQueue: 'The turn ended before the model could read this, so it went to the queue.',
};

/** The turns before a fork. */
export const beforeFork = {
  turn: (message: string) => `Before the fork: ${message}`,
  more: 'Show earlier turns',
  unreadable: 'This turn cannot be shown here. It is in the session that the fork was made from.',
};

export const answer = {
  reasoning: 'Reasoning',
  reasoningNow: 'Reasoning now',
  foldRepeats: 'Fold the repeats',
  repeats: (times: number) => `The same ${count(times, 'more time')}`,
};

export const step = {
  name: (step: number, steps: number) => `step ${number(step)} of ${number(steps)}`,
  actions: (step: number) => `Actions for step ${step}`,
  fork: 'Fork from here',
  allUsed: 'All steps of this turn are used.',
  /** As a journal has it (`OUTPUT_LIMIT` of orion-protocol), and what a person reads in its place. */
  outputLimit: "The answer was cut off at the model's output limit.",
  cutAtLimit: 'The answer was cut off: it is as long as an answer may be here.',
  final: 'final answer, without tools',
  finalAllUsed: (steps: number) => `all ${count(steps, 'step')} used · final answer, without tools`,
  refused: (times: number, limit: number) => (call: string) =>
    `${call} was not run again: its result is above. Repeat ${number(times)} of ${number(limit)}.`,
  unchanged: (call: string) => `Read again: unchanged. ${call}`,
  unchangedAbove: (call: string) => `Read again: unchanged. ${call} is above.`,
  showEarlier: 'Show the earlier result',
  notRun: {
    final_answer: (names: string) => `Not run, because the final answer has no tools: ${names}.`,
    write_open: (names: string) => `Not run, because the model was to write a file: ${names}.`,
    repeated_itself: (names: string) => `Not run, because the model kept repeating itself: ${names}.`,
  },
  notRunInStep: (calls: number, names: string) => `${count(calls, 'more call')} not run in this step: ${names}.`,
  retry: (why: string, attempt: number, afterMs: number) =>
    `${why} Attempt ${number(attempt)} after ${duration(afterMs)}.`,
};

export const entry = {
  undone: (what: string) => `Undone. ${what}`,
  summary: 'Summary',
  done: (things: number) => `${count(things, 'thing')} done, as recorded`,
  save: 'Save',
  edit: 'Edit',
  replaced: 'A later summary has replaced it.',
  gone: 'The model is given the original messages again.',
};

export const asked = {
  edit: 'Edit and resend',
  regenerate: 'Regenerate the answer',
  rewind: 'Rewind to here…',
  fork: 'Fork from here',
  otherRoute: 'Compare with the other route…',
  branches: 'Branches of this message',
  earlierBranch: 'Earlier branch',
  laterBranch: 'Later branch',
  branch: (branch: number, branches: number) => `${number(branch)} of ${number(branches)}`,
  actions: 'Actions for the message',
};

export const turn = {
  label: (text: string) => `Message: ${text}`,
  noText: 'Message',
  compaction: 'Compaction',
  compactionMark: 'compaction',
  undrawn: 'This turn cannot be drawn. Nothing of it is lost.',
  showAsText: 'Show as text',
  hideText: 'Hide the text',
};

export const turnEnd = {
  otherVersion:
    'Another version of Orion wrote this turn. You can read it, reject what it proposes and stop it, but it cannot be resumed here.',
  stopped: 'Stopped. What had arrived is kept above.',
  notWritten: (paths: readonly string[]) => `${paths.join(', ')} ${paths.length === 1 ? 'was' : 'were'} not written.`,
  writeAgain: 'Write again',
  /** The message that it sends. */
  writeAgainMessage: (paths: readonly string[]) => `Write ${paths.map((path) => `\`${path}\``).join(' and ')} again.`,
  undo: (files: number) => `Undo ${count(files, 'file')}`,
  resume: 'Resume',
  compactAgain: 'Compact again',
  askAgain: 'Ask again',
  continueKeys: (keys: string) => `Continues with a fresh budget (${keys})`,
  continueTurn: 'Continue',
  noAnswer: 'No answer came.',
  noAnswerHelp: 'Another model, or other words, may do better.',
  tryAgainKeys: (keys: string) => `Asks for the answer again, with a fresh budget (${keys})`,
  accepted: (reason: string, endpoint: string) =>
    `From now on, “${reason}” from ${endpoint} counts as a complete answer.`,
  accept: (reason: string) => `Accept “${reason}” as complete`,
  calls: (model: string, calls: number, runs: number, waitedMs: number) =>
    `${model}, ${count(calls, 'model call')}, ${count(runs, 'tool run')}${waitedMs < 1_000 ? '' : `, and ${duration(waitedMs)} of waiting for you`}`,
  tokens: (tokens: number, isEstimated: boolean) =>
    `${isEstimated ? 'about ' : ''}${tokens < 10_000 ? count(tokens, 'token') : `${number(Math.round(tokens / 1_000))}k tokens`}`,
  cost: (usd: number, isEstimated: boolean) => `${isEstimated ? 'about ' : ''}${dollars(usd)}`,
  trace: 'Trace',
};
