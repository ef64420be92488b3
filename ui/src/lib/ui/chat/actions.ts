// What a person can do to a turn where it is shown.

import type { Checks } from '$lib/app/checks.svelte';
import type { CommandChanges } from '$lib/app/commandChanges.svelte';
import type { NewFiles } from '$lib/app/removing.svelte';
import type { CommandOutput } from '$lib/generated/CommandOutput';
import type { CommandRun } from '$lib/generated/CommandRun';
import type { Endpoint } from '$lib/generated/Endpoint';
import type { EntryView } from '$lib/generated/EntryView';
import type { ForkedFrom } from '$lib/generated/ForkedFrom';
import type { PictureView } from '$lib/generated/PictureView';
import type { Route } from '$lib/generated/Route';
import type { Stop } from '$lib/model/rail';
import type { Turn } from '$lib/model/turn';

export interface TurnActions {
  /** Sends the message of a turn again, or another one in its place (T9), through another route where that helps. */
  sendInstead: (requestId: string, text: string, route: Route | null) => void;
  /** Goes on with the branch that begins with this turn. */
  switchBranch: (requestId: string) => void;
  /** Shows what going back to the message of this turn would change (A10). */
  rewind: (requestId: string) => void;
  /** Opens a new session that goes on from a phase of a turn, numbered from 1 (T9). Null where the session is read-only. */
  fork: ((requestId: string, phase: number) => void) | null;
  /** Asks how the message of a turn is to be sent once more by each route (P2). Null where the session is read-only. */
  compareRoutes: ((requestId: string) => void) | null;
  /** Shows the turn that a session was forked from. */
  openOrigin: (from: ForkedFrom) => void;
  /** Goes on with a turn whose process ended in a write session. */
  resume: (requestId: string) => void;
  /** Sends a message of the window's own as the person's next one. */
  ask: (text: string) => void;
  /** Puts a message into the composer, after what is written there: the person sees it before it is sent. */
  draft: (text: string) => void;
  /** Goes on with a fresh budget. */
  continueFresh: () => void;
  showTrace: (requestId: string) => void;
  /** Brings another turn of the session into view, or its trace where it is too far away. */
  goToTurn: (requestId: string) => void;
  /** Opens what is at a stop of the rail, in its place; `byKey`: the keyboard goes there. */
  openStop: (turn: Turn, stop: Stop, byKey: boolean) => void;
  /** Pauses the turn that runs after its step (A2). */
  pauseNext: () => void;
  /** Brings a write into view. */
  review: (requestId: string, write: number) => void;
  /** Puts back what a write replaced; null for all writes of the turn. */
  undo: (requestId: string, write: number | null) => void;
  /** True while something is done to a write. */
  busy: () => boolean;
  /** An image that came with a message. Rejects with an `ErrorInfo`. */
  pictureOf: (name: string, sha256: string) => Promise<PictureView>;
  /** What the model saw of a call. */
  resultOf: (requestId: string, callId: string) => Promise<string>;
  /** The output of a command as it is kept; null where none is. Rejects with an `ErrorInfo`. */
  outputOf: (requestId: string, callId: string) => Promise<CommandOutput | null>;
  /** The new files that a command made, to remove them; null in a session that is only read. */
  newFilesOf: ((requestId: string, callId: string) => NewFiles) | null;
  /** Asks the model to run a command again with a way to these hosts, which the person is asked about then (C2). Null in a session that is only read. */
  runAgain: ((command: CommandRun, hosts: readonly string[]) => void) | null;
  /** The files that a command changed, to look at and undo them; null in a session that is only read. */
  changesOf: ((requestId: string, callId: string) => CommandChanges) | null;
  /** The checks of the project, to run and accept them (V1); null in a session that is only read. */
  checks: Checks | null;
  /** Stops the turn that runs (A4). */
  stop: () => void;
  /** An endpoint of the settings; none for the demo model. */
  endpoint: (name: string) => Endpoint | null;
  /** Takes a finish reason for that of a whole answer from now on (P10). */
  acceptFinish: (endpoint: string, reason: string) => void;
  /** Sends the message of a turn again in its place, with the older half of the conversation cut (X3). */
  cutAndAsk: (requestId: string | null, text: string) => void;
  /** Sums the conversation up, so that the next turns have room (X4); `insteadOf` is a compaction that came to nothing. */
  compact: (insteadOf?: string) => void;
  /** What stands in the place of a conversation, as it is now. Rejects with an `ErrorInfo`. */
  entryOf: (requestId: string) => Promise<EntryView>;
  /** Puts a person's text in the place of a summary. True when it is saved. */
  editEntry: (requestId: string, summary: string) => Promise<boolean>;
  undoCompaction: (requestId: string) => void;
  openSettings: () => void;
  newChat: () => void;
}
