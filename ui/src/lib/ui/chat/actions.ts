// What a person can do to a turn where it is shown.

import type { Route } from '$lib/generated/Route';

export interface TurnActions {
  /** Sends the same message again, through another route where that helps. */
  askAgain: (text: string, route: Route | null) => void;
  /** Goes on with a turn whose process ended in a write session. */
  resume: (requestId: string) => void;
  /** Goes on with a fresh budget. */
  continueFresh: () => void;
  showTrace: (requestId: string) => void;
  /** Brings a write into view. */
  review: (requestId: string, write: number) => void;
  undo: (requestId: string, write: number) => void;
  /** True while something is done to a write. */
  busy: () => boolean;
  /** What the model saw of a call. */
  resultOf: (requestId: string, callId: string) => Promise<string>;
  openSettings: () => void;
  newChat: () => void;
}
