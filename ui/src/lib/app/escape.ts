// The one thing that Esc does in the window now: it closes what is open, else it stops what runs, and it never answers a question. The listener and
// the hint beside the button of a stop both ask here. Not here: dialogs, menus and lists, which close by themselves.

import { stopsByKey } from '$lib/model/stopping';
import type { OrionWindow } from './window.svelte';

export type Escape = 'drawer' | 'wide' | 'difference' | 'stop';

/** Null where Esc does nothing. */
export function escapeOf({ sides, review, running }: OrionWindow): Escape | null {
  if (sides.drawer !== 'none') return 'drawer';
  if (sides.wide) return 'wide';
  // A difference that the person opened is closed first; one that came by itself stands in nobody's way.
  if (review.visible && !review.asks && (review.chosen !== null || !running)) return 'difference';
  return running && stopsByKey(running) && !review.asked ? 'stop' : null;
}
