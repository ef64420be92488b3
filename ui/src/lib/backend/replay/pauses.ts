// Turns that are paused (A2), and how they go on.

import type { PauseCause } from '$lib/generated/PauseCause';
import type { PauseRequest } from '$lib/generated/PauseRequest';
import type { ResultEdit } from '$lib/generated/ResultEdit';
import type { ResumeCost } from '$lib/generated/ResumeCost';
import type { StoredCall } from '$lib/generated/StoredCall';
import { utf8Length } from '$lib/model/utf8';
import { TWO_STAGE } from './policy';
import { Recording } from './recording';
import type { Script } from './scripts';

const SETTINGS = 'host = "db.internal"\nuser = "foxes"\npassword = "hunter2"\n';

function pause(
  recording: Recording,
  cause: PauseCause,
  costs: ResumeCost,
  calls: readonly StoredCall[] = [],
): Recording {
  const results = calls.map(({ toolCallId, name, result }) => ({ toolCallId, name, bytes: utf8Length(result ?? '') }));
  const batch = results.length === 0 ? null : 1;
  return recording.event({
    type: 'asked',
    digest: `digest of a pause of ${recording.ids.requestId}`,
    of: { type: 'pause', cause, batch, results, costs },
  });
}

/** Paused after it has read a file. */
export const paused: Script = (ids, text, startMs) => {
  const recording = new Recording(ids, text, startMs, startMs, 'deepseek-chat', 'deepseek', {
    ...TWO_STAGE,
    pauseAfterTool: true,
  })
    .wait(40)
    .action()
    .wait(300)
    .say("I'll look at the settings first.")
    .call('call-1', 'read_file', { path: 'config/settings.toml' })
    .end('tool_call', 'tool_calls')
    .tools()
    .result('3 lines', SETTINGS, 4)
    .end('tools_done');
  return pause(recording, 'after_tools', 'nothing', recording.calls);
};

/** As a fork waits: before its first model call, or before the one that is given a result. */
export function pausedBefore(ids: Parameters<Script>[0], text: string, startMs: number, step: number): Recording {
  const recording = new Recording(ids, text, startMs);
  if (step === 0) return pause(recording, 'requested', 'nothing');
  recording
    .action()
    .say("I'll look at the settings first.")
    .call('call-1', 'read_file', { path: 'config/settings.toml' })
    .end('tool_call', 'tool_calls');
  return pause(
    recording.tools().result('3 lines', SETTINGS, 4).end('tools_done'),
    'requested',
    'nothing',
    recording.calls,
  );
}

/** Paused after two calls in one step. */
export const pausedTwice: Script = (ids, text, startMs) => {
  const recording = new Recording(ids, text, startMs, startMs, 'deepseek-chat', 'deepseek', {
    ...TWO_STAGE,
    maxTools: 2,
    pauseAfterTool: true,
  })
    .wait(40)
    .action()
    .wait(300)
    .say("I'll look at both.")
    .call('call-1', 'read_file', { path: 'config/settings.toml' })
    .end('tool_call', 'tool_calls')
    .tools()
    .result('3 lines', SETTINGS, 4)
    .call('call-2', 'list_files', { path: 'config' })
    .result('1 entry', 'settings.toml', 3)
    .end('tools_done');
  return pause(recording, 'after_tools', 'nothing', recording.calls);
};

/** Paused in the middle of an answer. */
export const pausedNow: Script = (ids, text, startMs) =>
  pauseNow(
    new Recording(ids, text, startMs).wait(40).action().wait(300).say('The loader merges three sources: the file, the'),
  );

const pauseNow = (recording: Recording): Recording => pause(recording.end('paused'), 'now', 'step');

export function askedToPause(recording: Recording, request: PauseRequest): Recording {
  if (request.type === 'now') return pauseNow(recording);
  return recording.event({
    type: 'pause_requested',
    afterTools: request.type === 'after_tools' && request.on,
    next: request.type === 'next',
  });
}

/** As the core does: the step that runs ends, and then the turn waits. */
export function pauseAfterStep(recording: Recording, request: PauseRequest): Recording {
  const told = askedToPause(recording, request);
  return request.type === 'now'
    ? told
    : pause(
        told.wait(200).result('32 lines', '// The last part', 4).end('tools_done'),
        'requested',
        'nothing',
        recording.calls.slice(-1),
      );
}

export function afterPause(recording: Recording, digest: string, edits: ResultEdit[]): Recording {
  const edited = edits.map((edit) => {
    const text = edit.type === 'replace' ? edit.text : null;
    return {
      toolCallId: edit.toolCallId,
      originalSha256: 'a'.repeat(64),
      sha256: text === null ? null : 'b'.repeat(64),
      bytes: text === null ? null : utf8Length(text),
    };
  });
  return recording
    .event({ type: 'answered', digest, given: { type: 'resumed', edited } })
    .action()
    .wait(200)
    .say('The settings name the host and the user.')
    .end('answered', 'stop')
    .completed();
}
