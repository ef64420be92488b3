// A day's work in one session: a question, a file of two changes, a command, and files that are read until somebody pauses.

import { askingInFull } from './commands';
import { pauseAfterStep } from './pauses';
import { railedUntilPaused } from './railed';
import type { Scene } from './scene';
import { answered, type Script } from './scripts';
import { correctingHours } from './tours';

const ofText: Script = (ids, text, startMs) => {
  if (text.startsWith('Correct')) return correctingHours(ids, text, startMs);
  if (text.startsWith('Do the tests')) return askingInFull(ids, text, startMs);
  if (text.startsWith('Read all')) return railedUntilPaused(ids, text, startMs);
  return answered(ids, text, startMs);
};

export const aDay = (state: Scene['state']): Scene => ({ state, turns: [], script: ofText, pauses: pauseAfterStep });
