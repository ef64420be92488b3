import { expect, test } from 'vitest';
import type { ContextBox } from '$lib/generated/ContextBox';
import type { ContextPart } from '$lib/generated/ContextPart';
import type { ContextView } from '$lib/generated/ContextView';
import { editWords, isOut, isPinned, still, toggleOut, togglePin } from './edits';

const box = (toolCallId: string, pinned = false): ContextBox => ({
  toolCallId,
  name: 'read_file',
  arguments: {},
  sha256: '',
  bytes: 1,
  tokens: 1,
  emptied: false,
  pinned,
});
const part = (pinned = false): ContextPart => ({
  kind: 'turn',
  requestId: 't-1',
  text: 'Hi',
  count: 3,
  bytes: 1,
  tokens: 1,
  pinned,
  boxes: [box('a'), box('b', true)],
});
const turn = { requestId: 't-1', box: null };
const a = { requestId: 't-1', box: box('a') };
const b = { requestId: 't-1', box: box('b', true) };

test('X3: what is taken out can be left where it is until the message is sent', () => {
  const out = toggleOut(toggleOut([], a), turn);
  expect(out).toEqual([
    { type: 'empty_box', requestId: 't-1', toolCallId: 'a' },
    { type: 'remove_turn', requestId: 't-1' },
  ]);
  expect([isOut(out, a), isOut(out, b), isOut(out, turn)]).toEqual([true, false, true]);
  expect(toggleOut(out, a)).toEqual([{ type: 'remove_turn', requestId: 't-1' }]);
});

test('X3: a pin is set or taken off, and a second click leaves nothing to do', () => {
  const pins = togglePin(togglePin([], a, part()), b, part());
  expect(pins).toEqual([
    { type: 'pin_box', requestId: 't-1', toolCallId: 'a', pinned: true },
    { type: 'pin_box', requestId: 't-1', toolCallId: 'b', pinned: false },
  ]);
  expect([isPinned(pins, a, part()), isPinned(pins, b, part()), isPinned(pins, turn, part())]).toEqual([
    true,
    false,
    false,
  ]);
  expect(togglePin(togglePin(pins, a, part()), b, part())).toEqual([]);
  expect(togglePin([], turn, part(true))).toEqual([{ type: 'pin_turn', requestId: 't-1', pinned: false }]);
});

test('what is not in the conversation any more is no choice any more', () => {
  const view: ContextView = {
    endpoint: '',
    model: '',
    window: null,
    windowSource: null,
    answer: 0,
    room: 0,
    tokens: 0,
    counted: false,
    parts: [part()],
    cut: null,
    edits: [],
  };
  const edits = [...toggleOut([], a), ...toggleOut([], { requestId: 't-2', box: null })];
  expect(still(edits, view)).toEqual(toggleOut([], a));
});

test('what the next message does is said', () => {
  expect([
    editWords([]),
    editWords(toggleOut([], a)),
    editWords(togglePin(toggleOut(toggleOut([], a), turn), b, part())),
  ]).toEqual([
    null,
    'With your next message: 1 part taken out.',
    'With your next message: 2 parts taken out, 1 pin changed.',
  ]);
});
