import { expect, test } from 'vitest';
import { FOXES } from '$lib/backend/replay/fixtures';
import { paused } from '$lib/backend/replay/pauses';
import { questioning } from '$lib/backend/replay/questions';
import { answered, answering, asking, record, runningTool, type Script } from '$lib/backend/replay/scripts';
import { EDIT_FOX } from '$lib/backend/replay/drafts';
import { proposing } from '$lib/backend/replay/writeScripts';
import { stopsByKey, stopWords } from './stopping';
import { emptyTurn, foldEnvelope } from './turn';

const turnOf = (script: Script) => {
  const envelopes = record(script, 't-1', 's-1', FOXES.projectId).envelopes();
  return envelopes.reduce(foldEnvelope, emptyTurn({ requestId: 't-1', sessionId: 's-1', projectId: FOXES.projectId }));
};

test('A4: what a stop ends is said where it is more than a stream', () => {
  const said = [answering, runningTool, asking, questioning, paused, proposing(EDIT_FOX), answered].map((script) =>
    stopWords(turnOf(script), 0),
  );
  expect(said).toEqual([
    'Stop the turn. What has arrived is kept.',
    'Stop the turn: search_files is cancelled.',
    'Stop the turn: search_files does not run.',
    'Stop the turn: the questions stay unanswered.',
    'Stop the turn: the paused turn cannot be resumed.',
    expect.stringMatching(/^Stop the turn: .+ is not written\.$/),
    '',
  ]);
  expect(stopWords(turnOf(answering), 1)).toBe('Stop the turn: 1 waiting message returns to the message box.');
  expect(stopWords(turnOf(asking), 2)).toBe(
    'Stop the turn: search_files does not run; 2 waiting messages return to the message box.',
  );
});

test('A7: a key stops what runs, and answers no question', () => {
  const stopped = [answering, runningTool, asking, questioning, paused, proposing(EDIT_FOX), answered].map((script) =>
    stopsByKey(turnOf(script)),
  );
  expect(stopped).toEqual([true, true, false, false, false, false, false]);
});
