import { expect, test } from 'vitest';
import { checksRepaired } from '$lib/backend/replay/turnChecks';
import { commandFailed } from '$lib/backend/replay/commands';
import { EDIT_FOX } from '$lib/backend/replay/drafts';
import { paused } from '$lib/backend/replay/pauses';
import { answered, answering, asking, record, refusedKey, runningTool, type Script } from '$lib/backend/replay/scripts';
import { ended, proposing } from '$lib/backend/replay/writeScripts';
import { MOST_STOPS, railMark, railOf, shownAt } from './rail';
import type { Envelope } from '$lib/generated/Envelope';
import { emptyTurn, foldEnvelope, type Turn } from './turn';

const envelopesOf = (script: Script) => record(script, 't', 's', 'p').envelopes();
const foldAll = (envelopes: ReturnType<typeof envelopesOf>): Turn =>
  envelopes.reduce(foldEnvelope, emptyTurn({ requestId: 't', sessionId: 's', projectId: 'p' }));
const turnOf = (script: Script) => foldAll(envelopesOf(script));

/** A line for each stop: its shape, its colour, its words, and a mark where the turn is. */
const shown = (turn: Turn) =>
  railOf(turn).stops.map(
    ({ shape, tone, title, facts, live }) => `${shape}/${tone} ${[title, ...facts].join(' · ')}${live ? ' <' : ''}`,
  );

test('each step is a stop, with how long it took and its tokens, and none are ahead of a turn that answered', () => {
  expect(shown(turnOf(answered))).toEqual([
    'model/action Model call 1 · 524 ms · 1,336 tokens',
    'tool/tool list_files . · 3 ms · 12 entries',
    'model/action Model call 2 · 404 ms · 2,136 tokens',
    'tool/tool read_file src/config.rs · 4 ms · 32 lines',
    'model/action Model call 3 · 936 ms · 2,936 tokens',
  ]);
  expect(railOf(turnOf(answered))).toMatchObject({ earlier: 0, ahead: 0, pause: null });
});

test('a turn that runs is at its last stop, and the steps that are left are ahead of it', () => {
  expect(shown(turnOf(runningTool))).toEqual([
    'model/action Model call 1 · 336 ms · 1,336 tokens',
    'tool/tool search_files Config::|load\\( · running <',
  ]);
  expect(railOf(turnOf(runningTool))).toMatchObject({ earlier: 0, ahead: 2, pause: 'possible' });
  const told = turnOf(runningTool);
  expect(railOf({ ...told, pausing: { afterTools: false, next: true } }).pause).toBe('asked');
  expect(railOf({ ...told, pausing: { afterTools: true, next: false } }).pause).toBe('asked');
});

test('what waits for the person is a ring, and nothing else is teal', () => {
  expect(shown(turnOf(asking))).toEqual([
    'model/action Model call 1 · 336 ms · 1,336 tokens',
    'waiting/waiting search_files Config::|load\\( · Waiting for your approval <',
  ]);
  expect(shown(turnOf(proposing(EDIT_FOX)))).toEqual([
    'model/action Model call 1 · 236 ms · 1,336 tokens',
    'waiting/waiting Write src/fox.rs · Waiting for your approval <',
  ]);
  expect(shown(turnOf(paused))).toEqual([
    'model/action Model call 1 · 324 ms · 1,336 tokens',
    'tool/tool read_file config/settings.toml · 4 ms · 3 lines',
    'waiting/waiting Paused: look at the result <',
  ]);
  expect(railOf(turnOf(paused))).toMatchObject({ ahead: 2, pause: null });
});

test('a write is a page with the figures of its prompts, and commands and checks have shapes of their own', () => {
  expect(shown(turnOf(commandFailed))).toEqual([
    'model/action Model call 1 · 336 ms · 1,336 tokens',
    'command/problem run_command npm run dev & sleep 2; npm test · 12 s · Exit code 1',
    'model/action Model call 2 · 224 ms · 2,136 tokens',
  ]);
  expect(shown(turnOf(checksRepaired))).toEqual([
    'model/action Model call 1 · 236 ms · 1,336 tokens',
    'write/write Write src/fox.rs · 202 ms · 2,136 tokens · written · +6 −4',
    'model/action Model call 2 · 136 ms · 2,136 tokens',
    'checks/problem Checks · 9.3 s · failed',
    'model/action Model call 3 · 236 ms · 2,136 tokens',
    'write/write Write src/fox.rs · 181 ms · 2,936 tokens · written · +6 −4',
    'checks/tool Checks · 12 s · passed',
  ]);
});

test('a turn that failed or broke off is red where it did', () => {
  expect(shown(turnOf(refusedKey))).toEqual(['model/problem Model call 1 · 180 ms · 1,336 tokens']);
  expect(shown({ ...turnOf(runningTool), interrupted: true })).toEqual([
    'model/action Model call 1 · 336 ms · 1,336 tokens',
    'tool/problem search_files Config::|load\\( · Not finished',
  ]);
});

test('a long turn keeps its last stops, and says how many were before', () => {
  const turn = turnOf(answered);
  const one = turn.items.find(({ kind }) => kind === 'tool');
  if (one?.kind !== 'tool') throw new Error('no tool');
  const many = Array.from({ length: 100 }, (_, at) => ({ ...one, seq: 1_000 + at, callId: `c-${at}` }));
  const { stops, earlier } = railOf({ ...turn, items: [...turn.items, ...many] });
  expect([stops.length, earlier, stops.at(-1)?.key]).toEqual([MOST_STOPS, 105 - MOST_STOPS, '1099.0']);
});

test('a piece of text changes nothing of a rail, and each event that may does', () => {
  const envelopes = envelopesOf(answering);
  const [texts, others] = [new Set<boolean>(), new Set<boolean>()];
  envelopes.reduce(
    (turn, envelope) => {
      const after = foldEnvelope(turn, envelope);
      const chunk = envelope.event.type === 'text_chunk' || envelope.event.type === 'reasoning_chunk';
      (chunk ? texts : others).add(railMark(turn) === railMark(after));
      if (chunk) expect(railOf(after)).toEqual(railOf(turn));
      return after;
    },
    emptyTurn({ requestId: 't', sessionId: 's', projectId: 'p' }),
  );
  expect([[...texts], [...others]]).toEqual([[true], [false]]);
});

test('a stop opens what the chat shows of it: the text of a model call, else its reasoning, else what it asked for', () => {
  const turn = turnOf(answered);
  const at = (shown: Turn) => railOf(shown).stops.map(({ key }) => shownAt(shown, key)?.kind);
  expect(at(turn)).toEqual(['text', 'tool', 'text', 'tool', 'text']);
  expect(at({ ...turn, items: turn.items.filter(({ kind }) => kind !== 'text') })).toEqual([
    'reasoning',
    'tool',
    'tool',
    'tool',
    undefined,
  ]);
  expect(at(turnOf(paused))).toEqual(['text', 'tool', undefined]);
  expect(at(turnOf(ended(EDIT_FOX, [])))).toEqual(['text', 'write', 'text']);
});

test('the time that a turn waits for a person is known', () => {
  const told = turnOf(asking);
  const { pending } = told;
  if (!pending) throw new Error('nothing is asked');
  const ids = { requestId: 't', sessionId: 's', projectId: 'p' };
  const answer = {
    ...ids,
    seq: told.seq + 1,
    atMs: told.atMs + 60_000,
    phase: 'tool_phase',
    event: { type: 'answered', digest: pending.digest, given: { type: 'rejected', reason: null } },
  } as unknown as Envelope;
  expect([told.waitedMs, foldEnvelope(told, answer).waitedMs]).toEqual([0, 60_000]);
});
