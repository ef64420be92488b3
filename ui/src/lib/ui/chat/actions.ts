// What a person can do to a turn where it is shown.

import type { Endpoint } from '$lib/generated/Endpoint';
import type { EntryView } from '$lib/generated/EntryView';
import type { Route } from '$lib/generated/Route';

export interface TurnActions {
  /** Sends the same message again, through another route where that helps. */
  askAgain: (text: string, route: Route | null) => void;
  /** Goes on with a turn whose process ended in a write session. */
  resume: (requestId: string) => void;
  /** Goes on with a fresh budget. */
  continueFresh: () => void;
  showTrace: (requestId: string) => void;
  /** Brings another turn of the session into view, or its trace where it is too far away. */
  goToTurn: (requestId: string) => void;
  /** Brings a write into view. */
  review: (requestId: string, write: number) => void;
  undo: (requestId: string, write: number) => void;
  /** True while something is done to a write. */
  busy: () => boolean;
  /** What the model saw of a call. */
  resultOf: (requestId: string, callId: string) => Promise<string>;
  /** An endpoint of the settings; none for the demo model. */
  endpoint: (name: string) => Endpoint | null;
  /** Takes a finish reason for that of a whole answer from now on (P10). */
  acceptFinish: (endpoint: string, reason: string) => void;
  /** Sums the conversation up, so that the next turns have room (X4). */
  compact: () => void;
  /** What stands in the place of a conversation, as it is now. Rejects with an `ErrorInfo`. */
  entryOf: (requestId: string) => Promise<EntryView>;
  /** Puts a person's text in the place of a summary. True when it is saved. */
  editEntry: (requestId: string, summary: string) => Promise<boolean>;
  undoCompaction: (requestId: string) => void;
  openSettings: () => void;
  newChat: () => void;
}
