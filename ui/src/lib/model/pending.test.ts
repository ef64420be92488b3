import { expect, test } from 'vitest';
import { record } from '$lib/backend/replay/scripts';
import { EDIT_FOX } from '$lib/backend/replay/drafts';
import { ended, proposing } from '$lib/backend/replay/writeScripts';
import type { PendingOf } from '$lib/generated/PendingOf';
import type { TurnEvent } from '$lib/generated/TurnEvent';
import { asks, pendingAfter } from './pending';

const events = (script: Parameters<typeof record>[0]) =>
  record(script, 't-1', 's-1', 'p-1')
    .envelopes()
    .map(({ event }) => event);
const found = (type: TurnEvent['type'], among = events(ended(EDIT_FOX, []))) =>
  among.find((event) => event.type === type) as TurnEvent;

const CALL: PendingOf = { type: 'call', toolCallId: 'c', name: 'read_file', summary: '{}', by: 'default', keeps: null };
const PAUSE: PendingOf = { type: 'pause', cause: 'requested', batch: null, results: [], costs: 'nothing' };
const asked = (digest: string, of: PendingOf = CALL): TurnEvent => ({ type: 'asked', digest, of });
const answered = (digest: string): TurnEvent => ({
  type: 'answered',
  digest,
  given: { type: 'allowed', edited: null, kept: null },
});
const report = (found('completed') as Extract<TurnEvent, { type: 'completed' }>).report;

test.each<[string, TurnEvent[], string | null]>([
  ['nothing is asked', [{ type: 'resumed' }], null],
  ['asked', [asked('a')], 'a'],
  ['asked about something else since', [asked('a'), asked('b', PAUSE)], 'b'],
  ['answered', [asked('a'), answered('a')], null],
  ['withdrawn with the tool that asked', [asked('a'), { type: 'withdrawn', digest: 'a' }], null],
  ['an answer to something else', [asked('a'), answered('b')], 'a'],
  ['an answer to what nobody was asked', [answered('a'), asked('b')], 'b'],
  ['answered, and asked the same again', [asked('a'), answered('a'), asked('a')], 'a'],
  ['the process died', [asked('a'), { type: 'interrupted' }], 'a'],
  ['another process goes on', [asked('a'), { type: 'interrupted' }, { type: 'resumed' }], 'a'],
  [
    'a person writes and asks for a pause',
    [asked('a'), { type: 'steered', text: 'And?' }, { type: 'pause_requested', afterTools: false, next: true }],
    'a',
  ],
  ['another proposal is made', [asked('a'), found('write_ready')], null],
  ['another proposal is asked about', [asked('a'), found('write_ready'), asked('b')], 'b'],
  ['the write is over', [asked('a'), found('write_done')], null],
  ['completed', [asked('a'), { type: 'completed', report }], null],
  ['stopped', [asked('a'), { type: 'stopped', report }], null],
  ['failed', [asked('a'), { type: 'failed', report }], null],
  ['an event of an unknown type', [asked('a'), { type: 'unknown' }], 'a'],
])('A7: what is open after events: %s', (_, given, open) => {
  expect(given.reduce(pendingAfter, null)?.digest ?? null).toBe(open);
});

test('what is asked about is found by its type', () => {
  const pending = events(proposing(EDIT_FOX)).reduce(pendingAfter, null);
  expect(asks({ pending }, 'call', 'write')).toMatchObject({ type: 'write', write: 1, path: 'src/fox.rs' });
  expect([asks({ pending }, 'call'), asks({ pending: null }, 'call')]).toEqual([null, null]);
});
