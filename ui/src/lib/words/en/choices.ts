// How the next message runs: mode, model, limits, and what fills the model's room.

import { count } from '$lib/model/words';

export const choices = {
  mode: 'Mode',
  act: 'Act',
  actHint: 'All tools, each by its permission',
  plan: 'Plan',
  planHint: 'Tools that only read',
  planTightened: "Tools that only read; this project's own choice",
  twoStage: 'Two-stage',
  twoStageHint: 'Stops at each tool call; few, small steps',
  twoStageOff: 'Switched off in settings',
  unified: 'Unified',
  unifiedHint: 'The usual agent loop: many calls, a larger budget',
  pauses: 'pauses',
  pausesNot: 'no pauses',
  limits: 'limits',
  differs: (names: string) => `Chosen for this chat: ${names}. Press it to take the settings again.`,
  takes: (bounds: string) => `The next message takes ${bounds}.`,
};

export const limits = {
  limits: 'Limits',
  label: (steps: number) => `Limits: ${count(steps, 'step')}`,
  steps: 'Steps',
  step: (steps: number) => count(steps, 'step'),
  stepMeans: 'In a step the model uses a tool, such as reading a file. After the last one it answers.',
  route: 'Route',
  pauses: 'Pause after each tool, to look at the result first',
  lowered: "This project's own settings lower the limits.",
  details: 'Details',
  back: 'Use my settings',
};

export const contextParts = {
  context: 'Context',
  label: (room: string) => `Context: ${room}`,
  assumed: 'A token is taken to have 4 bytes until the provider has counted.',
  fills: 'What fills the context',
  emptied: 'its text has left',
  said: 'what was said',
  forAnswer: 'Kept for the answer',
  undoAll: 'Undo all',
  pin: (name: string) => `Pin, so that no cut takes it out: ${name}`,
  unpin: (name: string) => `Unpin: ${name}`,
  takeOut: (name: string) => `Take out with the next message: ${name}`,
  leaveIn: (name: string) => `Keep: ${name}`,
};

export const queue = {
  queue: 'Queued messages',
  held: 'Held: sent when you say so',
  afterAnswer: 'Queued: sent once you have answered and the turn has ended',
  afterTurn: 'Queued: sent when the turn has ended',
  place: (at: number, of: number) => `Message ${at} of ${of}`,
  release: 'Send queue',
  releaseAfter: 'Send after this turn',
  message: 'The queued message',
  moves: 'Edit. Alt+↑ and Alt+↓ move it.',
  actions: 'Actions for the queued message',
  sendNow: 'Send now',
  stopAndSend: 'Stop and send now',
  edit: 'Edit',
  moveUp: 'Move up',
  moveDown: 'Move down',
  remove: 'Remove from the queue',
  save: 'Save',
};
