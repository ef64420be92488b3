import { expect, test } from 'vitest';
import { ANSWER } from '$lib/backend/replay/fixtures';
import { EDIT_FOX } from '$lib/backend/replay/drafts';
import { answered, answering, brief, record, type Script } from '$lib/backend/replay/scripts';
import { ended } from '$lib/backend/replay/writeScripts';
import { answerOf, turnAsMarkdown } from './copying';
import { emptyTurn, foldEnvelope, type Turn } from './turn';

const turnOf = (script: Script, text?: string): Turn =>
  record(script, 't', 's', 'p', text)
    .envelopes()
    .reduce(foldEnvelope, emptyTurn({ requestId: 't', sessionId: 's', projectId: 'p' }));

test('an answer is what was said after the last step, as it was written', () => {
  expect(answerOf(turnOf(answered))).toBe(ANSWER.trim());
});

test('a turn is the message, what was done and what was said', () => {
  const copied = turnAsMarkdown(turnOf(answered, 'Two\nlines'));
  expect(copied.startsWith('**Asked**\n\n> Two\n> lines\n\n**Answered**\n\n')).toBe(true);
  expect(copied).toContain('\n\n*Looked at src/config.rs*\n\n');
  expect(copied.endsWith(ANSWER.trim())).toBe(true);
});

test('a file that was written is named with what became of it', () => {
  expect(turnAsMarkdown(turnOf(ended(EDIT_FOX, [])))).toMatch(/\n\n\*[^\n]*\.(?:rs|md)[^\n]*\(\w+[^\n]*\*/);
});

test('what a turn that runs has said so far can be copied', () => {
  expect(turnAsMarkdown(turnOf(answering))).toContain('**Answered**');
});

test('files that came with the message are named, as text', () => {
  const turn = turnOf(brief, 'Look.');
  const file = {
    toolCallId: 'file_1',
    isFolder: false,
    status: 'ok' as const,
    summary: '',
    bytes: 1,
    truncated: false,
    sha256: 'a',
    error: null,
  };
  const attached = [
    { ...file, path: '[a](b).png', content: { type: 'text' as const, lines: 1 } },
    { ...file, path: 'src/fox.rs' },
  ];
  expect(turnAsMarkdown({ ...turn, attached })).toContain(
    '\n\n> Look.\n\n*Came with it: \\[a\\](b).png*\n\n**Answered**\n\n',
  );
});
