// Errors where they happened, those of no turn, and the window before it has its database.

import { bytes } from '$lib/model/words';

export const problems = {
  label: 'Problems',
};

export const errorCard = {
  asksToWait: (seconds: number) => `The provider asks to wait ${seconds} s.`,
  openSettings: 'Open settings',
  useUnified: 'Use unified',
  makeRoom: 'Make room',
  cutAndRetry: 'Cut and retry',
  cutWhat: 'Drops the older half of the conversation, without a summary',
  newChat: 'New chat',
  details: 'Details',
  code: (code: string) => `Code: ${code}`,
};

export const opening = {
  waiting: 'Another Orion is converting the database. This one opens when it has finished.',
  converting: (written: number, all: number) => (written === 0 ? `Converting the database, once: ${bytes(all)}.` : `Converting the database, once: ${bytes(written)} of ${bytes(all)}.`),
  converted: 'Converted',
};
