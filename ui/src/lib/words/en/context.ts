// The conversation that the model is given: how full it is, what leaves it, what is taken out, and what it has cost.

import { count, dollars, duration, number } from '$lib/model/words';

export const context = {
  toolsChanged: 'The conversation is sent again from the start, because its tools changed.',
  pinsChanged: (pins: number) => `The conversation was changed by hand: ${count(pins, 'message')} pinned or unpinned.`,
  firstTurnsLeft: "The session is longer than the model's context: its first turns are not sent.",
  cut: (
    why: 'full' | 'refused' | 'person',
    results: number,
    messages: number,
    percentBefore: number,
    percentAfter: number,
  ) => {
    const causes = {
      full: 'The conversation was getting too long',
      refused: 'The provider said that the conversation is too long',
      person: 'The conversation was changed by hand',
    };
    const left = [results > 0 ? count(results, 'tool result') : '', messages > 0 ? count(messages, 'message') : '']
      .filter((part) => part !== '')
      .join(' and ');
    return `${causes[why]}: ${left} ${results + messages === 1 ? 'was' : 'were'} taken out. The context was ${percentBefore} % full, and is ${percentAfter} % full now.`;
  },
  compacted: (turns: number, tokensBefore: number, tokensAfter: number) =>
    `${count(turns, 'turn')} summed up: about ${number(tokensBefore)} tokens became ${number(tokensAfter)}.`,
  room: (tokens: number, room: number, isCounted: boolean) =>
    `${isCounted ? '' : 'about '}${room > 0 ? `${number(tokens)} of ${count(room, 'token')}` : count(tokens, 'token')}`,
  windowNotKnown: 'The size of its window is not known.',
  window: (tokens: number, answer: number, isAssumed: boolean) =>
    `Its window ${isAssumed ? 'is assumed to have' : 'has'} ${count(tokens, 'token')}. ${number(answer)} of them are for the answer.`,
  system: "Orion's own words",
  instructions: 'AGENTS.md',
  tools: (tools: number) => count(tools, 'tool'),
  earlierMessages: 'Earlier messages',
  result: 'result',
  attachment: 'added file',
  loss: (results: number, ofResults: number, messages: number, ofMessages: number, firstTurns: boolean) =>
    [
      results > 0 ? `${number(results)} of ${count(ofResults, 'result')}` : '',
      messages > 0 ? `${number(messages)} of ${count(ofMessages, 'message')}` : '',
      firstTurns ? 'the first turns' : '',
    ]
      .filter((part) => part !== '')
      .join(' and '),
  doesNotFit: (model: string) =>
    `The conversation does not fit ${model}, whatever is cut. Choose a model with a larger window, or start a new session.`,
  wouldBeCut: (model: string, loss: string) => `To fit ${model}, the next message leaves out ${loss}.`,
  withNextMessage: (takenOut: number, pins: number) =>
    `With your next message: ${[takenOut > 0 ? `${count(takenOut, 'part')} taken out` : '', pins > 0 ? `${count(pins, 'pin')} changed` : ''].filter((part) => part !== '').join(', ')}.`,
  rewound: (files: number) =>
    files === 0
      ? 'You went back to an earlier message before this one.'
      : `You went back to an earlier message before this one, with ${count(files, 'file')}.`,
};

export const spending = {
  noCost: (tokens: number) => `This session has used ${count(tokens, 'token')} so far. What they cost is not known.`,
  cost: (tokens: number, usd: number, isLeast: boolean) =>
    `This session has used ${count(tokens, 'token')} so far, for ${isLeast ? 'at least ' : ''}${dollars(usd)}.`,
};

export const bounds = {
  most: (modelCalls: number, toolRuns: number, writePrompts: number, seconds: number | null, costUsd: number | null) =>
    `at most ${[count(modelCalls, 'model call'), count(toolRuns, 'tool run'), count(writePrompts, 'request for file content', 'requests for file content'), ...(seconds === null ? [] : [duration(seconds * 1_000)]), ...(costUsd === null ? [] : [dollars(costUsd)])].join(', ')}`,
  stepsUsed: (used: number, steps: number) => (used > 0 ? `${number(used)}/${number(steps)}` : number(steps)),
};

/** What was done, as a summary has it. */
export const facts = {
  called: {
    ok: '',
    failed: 'failed',
    denied: 'not allowed',
    timed_out: 'timed out',
    cancelled: 'cancelled',
    duplicate: 'refused',
    malformed: 'not run',
    reused: 'unchanged',
  },
  wrote: {
    written: 'written',
    rejected: 'rejected',
    discarded: 'not written',
    failed: 'failed',
    unknown: 'not known whether it was written',
  },
  unended: 'did not end',
  writeOutcome: (outcome: string, rejected: readonly number[], isRevised: boolean) =>
    `${outcome}${rejected.length > 0 ? `, without ${rejected.length === 1 ? 'change' : 'changes'} ${rejected.join(', ')}` : ''}${isRevised ? ', changed by you' : ''}`,
  allowed: 'you allowed',
  notAllowed: 'you did not allow',
};
