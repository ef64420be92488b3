// What turns took and cost, and two turns side by side.

import { count, dollars, number } from '$lib/model/words';

export const figures = {
  title: 'Figures',
  ofWhich: 'Which turns',
  scopes: { session: 'This session', project: 'This project', everything: 'Everything' },
  counting: 'Counting',
  none: 'No turn has ended here yet.',
  notKnown: 'not known',
  pointed: (value: string, turn: string) => `${value}, ${turn}`,
  chart: (title: string, sum: string, most: string) => `${title} over time: ${sum} in all, ${most} at most`,
};

export const totals = {
  title: 'By route and model',
  label: 'Totals by route and model',
  route: 'Route',
  model: 'Model',
  turns: 'Turns',
  answered: 'Answered',
  limitReached: 'Budget used',
  failed: 'Failed',
  refused: 'Refused',
  calls: 'Calls',
  tokens: 'Tokens',
  cost: 'Cost',
  time: 'Time',
};

export const slowest = {
  title: 'Slowest calls',
  tool: 'tool',
  modelCall: (call: number) => `model call ${number(call)}`,
};

export const turnTable = {
  title: 'Turns',
  some: (shown: number, all: number) => `${count(shown, 'turn')} of ${number(all)}`,
  markTwo: 'Mark two turns to compare them',
  compare: (marked: number) => (marked === 0 ? 'Compare' : `Compare (${marked} of 2)`),
  search: 'Search the turns',
  anyRoute: 'Any route',
  anyModel: 'Any model',
  onlyProblems: 'Only problems',
  marks: 'Compare',
  mark: 'Compare this turn',
  nothing: 'No turn matches.',
};

export const compared = {
  back: 'All turns',
  label: 'Figures of both turns',
  first: (message: string) => `First: ${message}`,
  second: (message: string) => `Second: ${message}`,
  noMessage: 'A turn',
  change: 'Difference',
  loading: 'Comparing',
};

export const turnColumns = {
  labels: {
    started: 'Started',
    text: 'Message',
    route: 'Route',
    model: 'Model',
    ended: 'Ended',
    steps: 'Steps',
    tools: 'Tools',
    refused: 'Refused',
    tokens: 'Tokens',
    cached: 'Cached',
    cost: 'Cost',
    time: 'Time',
    waited: 'Waited',
  },
  ended: {
    answered: 'Answered',
    summarized: 'Summarized',
    budget_exhausted: 'Budget used',
    duplicates_exhausted: 'Repeats',
    length: 'Cut off',
    empty: 'No answer',
    unknown: 'Unknown',
    content_filter: 'Filtered',
    approval: 'Waits',
    clarification: 'Waits',
    paused: 'Waits',
    stopped: 'Stopped',
    error: 'Failed',
  },
  routes: { two_stage: 'Two-stage', unified: 'Unified' },
  charts: { tokens: 'Tokens', cost: 'Cost', time: 'Time', refused: 'Repeats refused' },
  turnsIn: (time: string, turns: number) => `${time}, ${count(turns, 'turn')}`,
  notKnown: 'not known',
  answered: (turns: number, answered: number) => `${count(turns, 'turn')}, ${number(answered)} answered`,
  tokens: (tokens: number) => count(tokens, 'token'),
  cost: (usd: number, isLeast: boolean) => `${isLeast ? 'at least ' : ''}${dollars(usd)}`,
  unfinished: (turns: number) => `${number(turns)} not finished, and not counted`,
  unreadable: (reports: number) => `${count(reports, 'report')} cannot be read`,
};

export const comparedRoutes = {
  modelCalls: 'Model calls',
  toolRuns: 'Tool runs',
  refused: 'Refused repeats',
  tokensIn: 'Tokens in',
  tokensOut: 'Tokens out',
  cost: 'Cost',
  time: 'Time',
  unknown: 'unknown',
  about: (figure: string) => `about ${figure}`,
  beginning: 'Beginning',
  notBegun: 'Not begun',
};
