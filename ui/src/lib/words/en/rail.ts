// The rail of a turn: its stops, and the steps that it may still take.

import { count, number } from '$lib/model/words';

export const rail = {
  label: 'Steps of this turn',
  modelCall: (call: number) => `Model call ${number(call)}`,
  finalAnswer: 'Final answer',
  write: (path: string) => `Write ${path}`,
  checks: 'Checks',
  running: 'running',
  tokens: (tokens: number) => count(tokens, 'token'),
  stop: (title: string, facts: readonly string[]) => [title, ...facts].join(', '),
  earlier: (steps: number) => `${count(steps, 'earlier stop')}, in the trace`,
  earlierShort: (steps: number) => `+${number(steps)}`,
  ahead: (steps: number) => `${count(steps, 'step')} left`,
  moreAhead: (steps: number) => `+${number(steps)}`,
  pauseHere: 'Pause after this step',
  pausesHere: 'Pauses here, after this step',
};
