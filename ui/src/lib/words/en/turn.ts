// How a turn stands: the words of its bar, of its steps, and of what a stop or a resume does.

import { count, dollars, duration, number } from '$lib/model/words';

const times = (n: number) => (n === 1 ? '' : n === 2 ? ' twice' : ` ${number(n)} times`);
const named = (names: readonly string[], one: string) => (names.length === 1 ? names[0] : count(names.length, one));

export const status = {
  ready: 'Ready',
  otherVersion: 'Written by another version of Orion',
  interrupted: 'Interrupted',
  catchingUp: 'Catching up',
  waitingForApproval: 'Waiting for your approval',
  waitingForAnswer: 'Waiting for your answer',
  waitingForChoice: 'Waiting for your choice',
  waitingForModel: 'Waiting for the model',
  reading: 'Reading',
  readSoFar: (processed: number, total: number, cached: number, leftMs: number | null) =>
    [
      `${number(processed)} of ${count(total, 'token')}`,
      ...(cached > 0 ? [`${number(cached)} from the cache`] : []),
      ...(leftMs === null ? [] : [`about ${duration(leftMs)} left`]),
    ].join(', '),
  inAll: (ms: number) => `about ${duration(ms)} in all`,
  waitingToRetry: (attempt: number) => `Waiting to try again, attempt ${number(attempt)}`,
  running: (tools: readonly string[]) => `Running ${named(tools, 'tool')}`,
  startingTool: 'Starting the tool',
  handingResult: 'Handing the result to the model',
  summingUp: 'Summing up the conversation',
  answering: 'Answering',
  writingFinalAnswer: 'Writing the final answer',
  thinking: 'Thinking',
  checking: (path: string) => `Checking ${path}`,
  checkingLine: (line: string) => `Checking · ${line}`,
  writing: (path: string) => `Writing ${path}`,
  saving: (path: string) => `Saving ${path}`,
  lines: (lines: number) => count(lines, 'line'),
  correcting: (places: number) => `Asking the model to correct ${count(places, 'place')}`,
  paused: 'Paused',
  pausedResults: (results: number) => (results === 1 ? 'Paused: look at the result' : 'Paused: look at the results'),
  stopped: 'Stopped',
  failed: 'Failed',
  answered: 'Answered',
  compacted: 'Compacted',
  notFinished: 'Not finished',
  notWritten: 'Not written',
  repeatedItself: 'Cut off: the model kept repeating itself',
  noAnswer: 'No answer came',
  onlyReasoned: 'the model only reasoned',
  outputLimit: 'Cut off at the longest answer',
  unknownEnd: 'The answer may not be complete',
  contentFilter: "Cut off by the provider's content filter",
  timeLimit: (ms: number) => `Ended after ${duration(ms)}, its time limit`,
  costLimit: (usd: number) => `Ended at its cost limit of ${dollars(usd)}`,
  allSteps: (steps: number) => `all ${count(steps, 'step')} used`,
  repeatedCall: 'the model kept repeating a call',
  pausesNext: 'pauses after this step',
  steps: (step: number, steps: number) =>
    step === 0 ? count(steps, 'step') : `step ${number(step)} of ${number(steps)}`,
  calls: (calls: number, most: number) => `${number(calls)} of ${count(most, 'call')}`,
};

export const stopping = {
  nothing: 'Stop the turn. What has arrived is kept.',
  ends: (what: readonly string[]) => `Stop the turn: ${what.join('; ')}.`,
  notWritten: (path: string) => `${path} is not written`,
  notRun: (tool: string) => `${tool} does not run`,
  unanswered: 'the questions stay unanswered',
  notResumed: 'the paused turn cannot be resumed',
  cancelled: (tools: readonly string[]) => `${tools.join(', ')} ${tools.length === 1 ? 'is' : 'are'} cancelled`,
  messagesReturn: (messages: number) =>
    `${count(messages, 'waiting message')} ${messages === 1 ? 'returns' : 'return'} to the message box`,
};

export const resuming = {
  cutOff: (steps: number) =>
    `The answer was cut off; what had come is kept above. Resuming takes one of the turn's ${number(steps)} steps.`,
  fileCutOff: 'The file was cut off; what had come is kept. Resuming takes one of the prompts for this file.',
  endsTurn: 'This was the last answer of the turn. Resuming ends the turn with what had come.',
  closedWaiting: 'Orion was closed while it waited for your answer.',
  asksAgain: 'Resuming asks you again.',
  closedPaused: 'Orion was closed while the turn was paused.',
  pausesAgain: 'Resuming shows the pause again.',
  closedWriting: (path: string) => `Orion was closed before ${path} was finished. What had arrived is kept.`,
  looksOnDisk: 'Resuming checks the disk to see whether it was written.',
  goesOnWithFile: 'Resuming continues the file.',
  closedSummingUp: 'Orion was closed while the model wrote the summary. The conversation is as it was.',
  closedRunning: (tool: string) => `Orion was closed while ${tool} ran.`,
  runsAgain: (tool: string) => `${tool} will run again; what has a result will not.`,
  closedWorking: 'Orion was closed while the model worked. What had arrived is kept above.',
  wasLast: 'It was the last answer of the turn, so resuming ends the turn with what arrived.',
  takesStep: 'The model will be asked to continue from there, which takes one step.',
};

/** What the steps that are folded did. The first of them begins the line. */
export const did = {
  looked: (files: readonly string[]) => `looked at ${named(files, 'file')}`,
  listed: (folders: readonly string[]) =>
    `listed ${folders.length === 1 && folders[0] === '.' ? 'the folder' : named(folders, 'folder')}`,
  searched: (searches: number) => `searched${times(searches)}`,
  askedYou: 'asked you',
  ranCommands: (lines: readonly string[]) => `ran ${named(lines, 'command')}`,
  ran: (tool: string, runs: number) => `ran ${tool}${times(runs)}`,
  readAgain: (files: number) => `read ${count(files, 'file')} again, unchanged`,
  refused: (repeats: number) => `refused ${count(repeats, 'repeat')}`,
  notRun: (calls: number) => `${count(calls, 'call')} not run`,
  triedAgain: (tries: number) => `tried again${tries === 1 ? ' once' : times(tries)}`,
  begin: (line: string) => line.charAt(0).toUpperCase() + line.slice(1),
};

export const toolStates = {
  ok: 'Done',
  failed: 'Failed',
  denied: 'Denied',
  timed_out: 'Timed out',
  cancelled: 'Cancelled',
  duplicate: 'Not run again',
  reused: 'Unchanged',
  malformed: 'Not run: the arguments were cut off or invalid',
  notFinished: 'Not finished',
  notFinishedFact: 'not finished',
  waitsForAnswer: 'Waiting for your answer',
  waitsForAnswerFact: 'waiting for your answer',
  waitsForApproval: 'Waiting for your approval',
  waitsForApprovalFact: 'waiting for your approval',
  comesNext: 'Its turn comes next',
  running: 'Running',
  runningFact: 'running',
  aboutToRun: 'About to run',
  /** The name of a call of which nothing is known. */
  call: 'tool call',
};
