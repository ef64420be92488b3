// What the window is opened on, and what happens then.

import type { Answer } from '$lib/generated/Answer';
import type { AppState } from '$lib/generated/AppState';
import type { DoctorReport } from '$lib/generated/DoctorReport';
import type { ErrorInfo } from '$lib/generated/ErrorInfo';
import type { Figures } from '$lib/generated/Figures';
import type { FiguresOf } from '$lib/generated/FiguresOf';
import type { Op } from '$lib/generated/Op';
import type { PauseRequest } from '$lib/generated/PauseRequest';
import type { ProjectChecks } from '$lib/generated/ProjectChecks';
import type { Query } from '$lib/generated/Query';
import type { Queue } from '$lib/generated/Queue';
import type { TraceSpan } from '$lib/generated/TraceSpan';
import type { TurnIds } from '$lib/generated/TurnIds';
import type { TurnView } from '$lib/generated/TurnView';
import type { Update } from '$lib/generated/Update';
import type { ProjectFile } from './fixtures';
import type { Recording } from './recording';
import type { Script } from './scripts';
import type { GoesOn } from './writeScripts';

export interface Scene {
  state: AppState;
  /** Turns that are there when the window opens. */
  turns: { recording: Recording; state: TurnView['state']; insteadOf?: string }[];
  /** What the projects' own files say. */
  projectFile?: ProjectFile;
  /** The checks of its project. */
  checks?: ProjectChecks;
  /** What a message that is sent plays. */
  script: Script;
  /** What waits in the session of the first turn. */
  queue?: Queue;
  /** What the first message is refused with. */
  refusal?: ErrorInfo;
  /** The rest of a turn when its write is decided; it answers unless this says otherwise. */
  goesOn?: GoesOn;
  /** The rest of a turn when it is told to pause; it says so, and goes on, unless this says otherwise. */
  pauses?: (recording: Recording, pause: PauseRequest) => Recording;
  /** What a question is refused with. */
  refuses?: (query: Query) => ErrorInfo | null;
  /** The error that refused an act of the person. */
  refusesOp?: (op: Op) => ErrorInfo | null;
  /** What is answered in place of what the scene's turns, files and settings would be; null for the usual answer. */
  answers?: (query: Query) => Answer | Promise<Answer> | null;
  /** What is found of this computer; all is well unless this says otherwise. Null where an endpoint keeps the core waiting. */
  computer?: DoctorReport | null;
  /** The first turn has these spans in place of its own. */
  spans?: (ids: TurnIds) => TraceSpan[];
  /** What turns came to. */
  figures?: (of: FiguresOf) => Figures;
  /** What a page of a session takes to come. */
  answerMs?: number;
  /** What a stop takes, as on a disk that hangs. */
  stopMs?: number;
  /** True for an update that is lost on its way to the window. */
  loses?: (index: number, update: Update) => boolean;
}
