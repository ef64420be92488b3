import { expect, test } from 'vitest';
import type { ContextView } from '$lib/generated/ContextView';
import { boxName, isFull, partName, percent, roomWords, warning, windowWords } from './room';

const view: ContextView = {
  endpoint: 'deepseek',
  model: 'deepseek-chat',
  window: 32_768,
  windowSource: null,
  answer: 8_192,
  room: 24_576,
  tokens: 3_120,
  counted: true,
  parts: [],
  cut: null,
  edits: [],
};
const part = {
  kind: 'turn' as const,
  requestId: 't',
  text: 'Hi',
  count: 2,
  bytes: 8,
  tokens: 2,
  pinned: false,
  boxes: [],
};
const cut = { results: 12, ofResults: 30, messages: 0, ofMessages: 9, earlier: false, fits: true };

test('X2: the room is a count where the provider counted, and else says that it is not', () => {
  expect([roomWords(view), roomWords({ ...view, counted: false }), roomWords({ ...view, room: 0 })]).toEqual([
    '3,120 of 24,576 tokens',
    'about 3,120 of 24,576 tokens',
    '3,120 tokens',
  ]);
  expect([
    windowWords(view),
    windowWords({ ...view, windowSource: 'assumed' }),
    windowWords({ ...view, window: null }),
  ]).toEqual([
    'Its window has 32,768 tokens. 8,192 of them are for the answer.',
    'Its window is assumed to have 32,768 tokens. 8,192 of them are for the answer.',
    'The size of its window is not known.',
  ]);
  expect([percent(3_120, 24_576), percent(1, 24_576), percent(0, 24_576), percent(1, 0)]).toEqual([
    '12 %',
    '<1 %',
    '0 %',
    '',
  ]);
});

test('X3: it is full where the next request would be cut', () => {
  expect([19_660, 19_661].map((tokens) => isFull({ ...view, tokens }))).toEqual([false, true]);
});

test('X3: what would leave is said before the message is sent', () => {
  expect(warning(view)).toBeNull();
  expect(warning({ ...view, cut })).toBe('To fit deepseek-chat, the next message leaves out 12 of 30 results.');
  expect(warning({ ...view, cut: { ...cut, messages: 4, earlier: true } })).toBe(
    'To fit deepseek-chat, the next message leaves out 12 of 30 results and 4 of 9 messages and the first turns.',
  );
  expect(warning({ ...view, cut: { ...cut, fits: false } })).toContain('does not fit deepseek-chat');
});

test('a part has its name, and a result the file that it is of', () => {
  expect([part, { ...part, text: '' }, { ...part, kind: 'tools' as const, count: 1 }].map(partName)).toEqual([
    'Hi',
    'Earlier messages',
    '1 tool',
  ]);
  const box = {
    toolCallId: 'c',
    name: 'read_file',
    arguments: { path: 'a.rs' },
    sha256: '',
    bytes: 1,
    tokens: 1,
    emptied: false,
    pinned: false,
  };
  expect([
    boxName(box),
    boxName({ ...box, name: '', arguments: null }),
    boxName({ ...box, name: 'attachment' }),
  ]).toEqual([
    ['read_file', 'a.rs'],
    ['result', ''],
    ['added file', 'a.rs'],
  ]);
});
