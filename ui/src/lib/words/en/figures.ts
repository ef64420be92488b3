// What turns took and cost, and two turns side by side.

import { count, number } from '$lib/model/words';

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
