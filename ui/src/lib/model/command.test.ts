import { expect, test } from 'vitest';
import {
  askingForOutside,
  askingInFull,
  askingForFiles,
  askingInNone,
  commandEnded,
  commandFailed,
  commandTimedOut,
  runningCommand,
} from '$lib/backend/replay/commands';
import { record, runningTool, type Script } from '$lib/backend/replay/scripts';
import type { Given } from '$lib/generated/Given';
import type { Recording } from '$lib/backend/replay/recording';
import {
  endWords,
  forTerminal,
  heldBy,
  holdingIn,
  leftWords,
  lineOf,
  proposed,
  shownLine,
  shownRule,
  succeeded,
  toolNow,
} from './command';
import type { ItemOf } from './item';
import { partsOf } from './folds';
import { emptyTurn, foldEnvelope, type Turn } from './turn';

const fold = (recording: Recording): Turn =>
  recording.envelopes().reduce(foldEnvelope, emptyTurn({ requestId: 't-1', sessionId: 's-1', projectId: 'p-1' }));
const made = (script: Script) => record(script, 't-1', 's-1', 'p-1');
const toolOf = (turn: Turn) =>
  turn.items.find((item): item is ItemOf<'tool'> => item.kind === 'tool') as ItemOf<'tool'>;
const ranIn = (script: Script) => toolOf(fold(made(script))).outcome?.command;
const yes = (more: Partial<Extract<Given, { type: 'allowed' }>> = {}): Given => ({
  type: 'allowed',
  edited: null,
  kept: null,
  ...more,
});

test('C3: what holds a command is known while it is asked about and while it runs, and not after', () => {
  expect(holdingIn(fold(made(askingInFull)))).toBe('full');
  expect(holdingIn(fold(made(askingForFiles)))).toBe('files_only');
  expect(holdingIn(fold(made(askingInNone)))).toBe('none');
  expect(holdingIn(fold(made(askingInNone).answered(yes())))).toBe('none');
  expect(holdingIn(fold(made(askingForOutside).answered(yes({ outside: true }))))).toBe('outside');
  // Nobody was asked, so it is held.
  expect(holdingIn(fold(made(runningCommand)))).toBe('full');
  expect(holdingIn(fold(made(commandEnded)))).toBeNull();
  expect(holdingIn(fold(made(runningTool)))).toBeNull();
});

test('of several calls in a phase the first without a result runs, and none while a person is asked', () => {
  const both = made(runningCommand).call('call-2', 'run_command', { command: 'ls' });
  expect(toolNow(fold(both))?.callId).toBe('call-1');
  expect(toolNow(fold(made(askingInFull)))).toBeNull();
  expect(toolNow(fold(made(commandEnded)))).toBeNull();
});

test('what a person writes meanwhile does not set the clock of a tool back', () => {
  const began = fold(made(runningCommand)).toolSinceMs;
  const steered = fold(made(runningCommand).wait(9_000).event({ type: 'steered', text: 'Hurry.' }));
  expect([steered.toolSinceMs, steered.atMs > began]).toEqual([began, true]);
});

test('the line is that which runs: as it was asked about, or as a person changed it (A3)', () => {
  expect(lineOf(toolOf(fold(made(askingInFull))))).toBe('cargo test --workspace');
  const edited = { arguments: { argv: ['ls', '-l'] }, signature: 'run_command' };
  expect(lineOf(toolOf(fold(made(askingInFull).answered(yes({ edited })))))).toBe('ls -l');
  expect(lineOf(toolOf(fold(made(commandFailed))))).toBe('npm run dev & sleep 2; npm test');
  expect(lineOf(toolOf(fold(made(runningTool))))).toBeNull();
});

test('a result has its command, what it left, and how it ended in words', () => {
  const ended = ranIn(commandEnded);
  const failed = ranIn(commandFailed);
  const late = ranIn(commandTimedOut);
  expect([ended, failed, late].map((ran) => ran && [endWords(ran.ended), succeeded(ran.ended), heldBy(ran)])).toEqual([
    ['Exit code 0', true, 'full'],
    ['Exit code 1', false, 'full'],
    ['Timed out', false, 'full'],
  ]);
  expect(failed && leftWords(failed)).toEqual([
    'It left node and esbuild running; they ended with it.',
    'At its end something of it listened on port 5173.',
  ]);
  expect(ended && leftWords(ended)).toEqual([]);
});

test('a command that failed stays when its step folds, and one that ended well is named in the line', () => {
  const foldsOf = (script: Script) =>
    partsOf(fold(made(script))).flatMap((part) => (part.kind === 'steps' ? [part.folded.length] : []));
  expect(foldsOf(commandEnded)).toEqual([2]);
  expect(foldsOf(commandFailed)).toEqual([0]);
});

test('nothing of a line is hidden: what hides, turns or only looks like a space is told by its number', () => {
  expect(shownLine('ls\t-l\n echo')).toBe('ls\t-l\n echo');
  expect(shownLine('a\u202eb\u200b\u00a0\u3164\ufe0f\u{e0041}\u2800')).toBe(
    'a⟨U+202E⟩b⟨U+200B⟩⟨U+00A0⟩⟨U+3164⟩⟨U+FE0F⟩⟨U+E0041⟩⟨U+2800⟩',
  );
  expect(shownLine('echo Grüße 日本 א')).toBe('echo Grüße 日本 א');
});

test('a command is copied for a terminal in the folder of the project', () => {
  expect(forTerminal({ line: 'make', folder: '.' })).toBe('make');
  expect(forTerminal({ line: 'make', folder: 'web/app-1' })).toBe('cd web/app-1 && make');
  expect(forTerminal({ line: 'make', folder: "my web's" })).toBe("cd 'my web'\\''s' && make");
  expect(forTerminal({ line: 'make', folder: '-x' })).toBe('cd ./-x && make');
});

test('A1: the rule of a command is proposed as far as its subcommand where it needs one, else whole, and not at all where none is kept', () => {
  const all = ['npm', 'run', 'build', '--silent'];
  expect(proposed({ words: all, rule: { type: 'prefix', least: 3 } })).toBe(3);
  expect(proposed({ words: ['rm', '-rf', 'x'], rule: { type: 'prefix', least: 1 } })).toBe(3);
  expect(proposed({ words: ['sudo', 'x'], rule: { type: 'never', why: 'runs what stands after it' } })).toBe(0);
  expect(proposed({ words: ['cd', 'x'], rule: { type: 'not_needed' } })).toBe(0);
});

test('A1: the rule of a command is shown as a shell takes it, with what hides told by its number', () => {
  expect(shownRule(['grep', 'a b', "it's"])).toBe(`grep 'a b' 'it'\\''s' …`);
  expect(shownRule(['echo', 'a\u200b'])).toBe("echo 'a⟨U+200B⟩' …");
});
