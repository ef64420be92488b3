// The words of each question that a turn waits with (A7). Pure. Not here: the card that asks it (ui/chat/PendingCard.svelte).

import type { PendingOf } from '$lib/generated/PendingOf';
import { words } from '$lib/words';
import { pausedWords } from './pause';

/** The line that says what the turn waits for. */
export function waitWords(of: PendingOf): string {
  switch (of.type) {
    case 'call':
    case 'write':
      return words.status.waitingForApproval;
    case 'repeats':
      return words.status.waitingForChoice;
    case 'questions':
      return words.status.waitingForAnswer;
    case 'pause':
      return pausedWords(of);
  }
}

/** The thing that a stop leaves undone. */
export function unanswered(of: PendingOf): string {
  switch (of.type) {
    case 'call':
      return words.stopping.notRun(of.name);
    case 'write':
    case 'repeats':
      return words.stopping.notWritten(of.path);
    case 'questions':
      return words.stopping.unanswered;
    case 'pause':
      return words.stopping.notResumed;
  }
}
