import { expect, test } from 'vitest';
import {
  answered,
  answering,
  asking,
  exhausted,
  overloaded,
  readAgain,
  record,
  runningTool,
  type Script,
  thinking,
  wanting,
} from '$lib/backend/replay/scripts';
import { EDIT_FOX } from '$lib/backend/replay/drafts';
import { ended } from '$lib/backend/replay/writeScripts';
import { foldHolding, type Part, partsOf, stepMs, stepWords } from './folds';
import { emptyTurn, foldEnvelope, type Turn } from './turn';

const envelopesOf = (script: Script) => record(script, 't', 's', 'p').envelopes();
const foldAll = (envelopes: ReturnType<typeof envelopesOf>): Turn =>
  envelopes.reduce(foldEnvelope, emptyTurn({ requestId: 't', sessionId: 's', projectId: 'p' }));
const turnOf = (script: Script) => foldAll(envelopesOf(script));

/** A line for each part: the words of a fold, then in brackets what stands below it, or the kind of an item. */
const shown = (turn: Turn) =>
  partsOf(turn).map((part: Part) => {
    if (part.kind === 'item') return part.item.kind;
    const below = part.items.filter((item) => !part.folded.includes(item)).map(({ kind }) => kind);
    return `${stepWords(part.folded).join(', ')}[${below.join(' ')}]`;
  });

test('steps that are over are one line with what they did, between the texts', () => {
  expect(shown(turnOf(answered))).toEqual([
    '[reasoning]',
    'text',
    'Listed the folder[]',
    'text',
    'Looked at src/config.rs[]',
    'text',
  ]);
  const [, , listed] = partsOf(turnOf(answered));
  expect(listed?.kind === 'steps' && stepMs(listed.folded)).toBe(3);
});

test('the step that runs is open, and folds when the next model call begins', () => {
  expect(shown(turnOf(runningTool))).toEqual(['text', '[tool tool_phase]']);
  expect(shown(turnOf(asking))).toEqual(['text', '[tool tool_phase]']);
  const envelopes = envelopesOf(answering);
  const calls = envelopes.flatMap(({ event }, index) =>
    event.type === 'phase_started' && event.modelCall !== null ? [index] : [],
  );
  const before = foldAll(envelopes.slice(0, calls[1]));
  expect(shown(before)).toEqual(['[reasoning]', 'text', '[tool tool_phase]']);
  expect(shown(foldAll(envelopes.slice(0, (calls[1] ?? 0) + 1)))).toEqual([
    '[reasoning]',
    'text',
    'Listed the folder[]',
  ]);
  // It is the same line then, so that a box that was opened in it stays open.
  const keyOf = (turn: Turn) => partsOf(turn)[2]?.key;
  expect(keyOf(foldAll(envelopes))).toBe(keyOf(before));
});

test('a failure stays below the line of its step', () => {
  expect(shown(turnOf(exhausted))).toEqual([
    '[reasoning]',
    'text',
    'Listed the folder[]',
    'text',
    'Looked at src/config.rs[]',
    'text',
    'Refused 1 repeat, 2 calls not run[tool]',
    'text',
  ]);
});

test('calls that the final answer would have needed stay', () => {
  expect(shown(turnOf(wanting)).at(-1)).toBe('blocked');
});

test('a file that was written is a line of its own, and the call that began it is none', () => {
  const parts = partsOf(turnOf(ended(EDIT_FOX, [])));
  expect(parts.filter((part) => part.kind === 'item').map((part) => part.item.kind)).toContain('write');
  expect(
    parts.flatMap((part) => (part.kind === 'steps' ? part.items.filter(({ kind }) => kind === 'tool') : [])),
  ).toEqual([]);
});

test('reasoning and another try alone are shown as they are while they last', () => {
  expect(shown(turnOf(thinking))).toEqual(['[reasoning]']);
  expect(shown(turnOf(overloaded))).toEqual(['[retry]']);
  expect(shown(turnOf(readAgain))).toEqual(['Read 1 file again, unchanged[]', 'text']);
});

test('files that were looked at twice count once, and other tools have their name', () => {
  const outcome = { status: 'ok' as const, summary: '', bytes: 0, truncated: false, durationMs: 100, error: null };
  const tool = (seq: number, name: string, args: unknown) => ({
    kind: 'tool' as const,
    seq,
    callId: `c-${seq}`,
    name,
    arguments: args,
    outcome,
  });
  const items = [
    tool(1, 'read_file', { path: 'a.rs' }),
    tool(2, 'read_file', { path: 'b.rs' }),
    tool(3, 'read_file', { path: 'a.rs', from: 40 }),
    tool(4, 'search_files', { pattern: 'fox' }),
    tool(5, 'search_files', { pattern: 'den' }),
    tool(6, 'weather', {}),
    tool(7, 'weather', { of: 'May' }),
    tool(8, 'weather', { of: 'June' }),
  ];
  expect(stepWords(items)).toEqual(['Looked at 2 files', 'searched twice', 'ran weather 3 times']);
  expect(stepMs(items)).toBe(800);
});

test('what is at a place of the turn leads to the line that stands for it', () => {
  const turn = turnOf(answered);
  expect(foldHolding(turn, 'call call-2')).toBe(partsOf(turn)[4]?.key);
  expect(foldHolding(turn, 'call call-9')).toBeNull();
  expect(foldHolding(turnOf(runningTool), 'call call-1')).toBeNull();
});
