import { expect, test } from 'vitest';
import { FOXES, session, WEBSHOP } from '$lib/backend/replay/fixtures';
import type { Happened } from '$lib/generated/Happened';
import type { Session } from '$lib/generated/Session';
import { NEW_CHAT } from './chat';
import { dayOf, happenedWords, linesOf, sectionsOf, standingsOf, stopsOf, timeOf } from './sidebar';
import { emptyTurn, type Turn } from './turn';

/** Wednesday 25 November 2026, 15:00 where the test runs. */
const NOW = new Date(2026, 10, 25, 15).getTime();
const at = (day: number, month = 10, year = 2026, hour = 9) => new Date(year, month, day, hour, 5).getTime();
const made = (id: string, updatedAtMs: number, more: Partial<Session> = {}) => ({
  ...session(id, FOXES.projectId, id, 0),
  updatedAtMs,
  ...more,
});
const shelves = (sessions: Session[], filter = '') =>
  sectionsOf([FOXES], sessions, {}, filter, NOW)[0]?.shelves.map(({ label, sessions: of }) => [
    label,
    of.map(({ sessionId }) => sessionId),
  ]);

test('sessions stand under their day, a week long, then under their month, then under month and year', () => {
  const times = [at(25, 10, 2026, 0), at(24, 10, 2026, 23), at(23), at(19), at(18), at(2), at(31, 9), at(25, 10, 2025)];
  expect(times.map((ms) => dayOf(ms, NOW))).toEqual([
    'Today',
    'Yesterday',
    'Monday 23 Nov',
    'Thursday 19 Nov',
    'November',
    'November',
    'October',
    'November 2025',
  ]);
  // A clock that was set back is no reason to lose a session.
  expect(dayOf(NOW + 90_000_000, NOW)).toBe('Today');
  expect([timeOf(at(23), NOW), timeOf(at(2), NOW)]).toEqual(['09:05', '2 Nov']);
});

test('pinned ones come first, and archived ones are beside them', () => {
  const sessions = [
    made('new', at(25)),
    made('away', at(25, 10, 2026, 11), { archived: true }),
    made('old', at(2)),
    made('kept', at(1), { pinned: true }),
  ];
  expect(shelves(sessions)).toEqual([
    ['Pinned', ['kept']],
    ['Today', ['new']],
    ['November', ['old']],
  ]);
  expect(sectionsOf([FOXES], sessions, {}, '', NOW)[0]?.archived.map(({ sessionId }) => sessionId)).toEqual(['away']);
});

test('a filter leaves what has all its words, in the title or the name of the project, and only projects with something', () => {
  const sessions = [
    made('Release notes', at(25)),
    made('Why foxes sleep', at(25)),
    { ...made('Notes', at(25)), projectId: WEBSHOP.projectId },
  ];
  const found = (filter: string) =>
    sectionsOf([FOXES, WEBSHOP], sessions, {}, filter, NOW).map(({ project, shelves: of }) => [
      project.name,
      of.flatMap((shelf) => shelf.sessions.map(({ title }) => title)),
    ]);
  expect(found('NOTES')).toEqual([
    ['foxes', ['Release notes']],
    ['webshop', ['Notes']],
  ]);
  expect(found('foxes notes')).toEqual([['foxes', ['Release notes']]]);
  expect(found('nothing of that kind')).toEqual([]);
});

test('arrows stop at projects, at sessions in their order, at older ones, and at an archive that opens', () => {
  const sessions = [
    made('new', at(25)),
    made('away', at(25), { archived: true }),
    made('kept', at(1), { pinned: true }),
  ];
  const sections = sectionsOf([FOXES], sessions, { [FOXES.projectId]: {} }, '', NOW);
  const keys = (open: (key: string) => boolean) => stopsOf(sections, open).map(({ key }) => key);
  expect(keys((key) => !key.startsWith('archive'))).toEqual([
    'project p-foxes',
    'session kept',
    'session new',
    'older p-foxes',
    'archive p-foxes',
  ]);
  expect(keys(() => true).at(-1)).toBe('session away');
  expect(keys(() => false)).toEqual(['project p-foxes']);
});

test('what happened is a word or two, and the usual end needs none', () => {
  const came = (happened: Happened | null) => happenedWords({ happened });
  expect([came({ type: 'answered' }), came({ type: 'summarized' }), came({ type: 'failed' })]).toEqual([
    '',
    'summarized',
    'failed',
  ]);
  expect([
    came(null),
    came({ type: 'wrote', files: 1 }),
    came({ type: 'wrote', files: 2 }),
    came({ type: 'cut_off' }),
  ]).toEqual(['', 'wrote 1 file', 'wrote 2 files', 'cut off']);
});

test('lines stand for the word that files were written, and for no other', () => {
  const lines = { added: 1_208, removed: 2 };
  expect(linesOf({})).toBeNull();
  expect(linesOf({ lines })).toEqual({ seen: '+1,208 −2', spoken: '1,208 lines added, 2 removed' });
  expect(happenedWords({ happened: { type: 'wrote', files: 2 }, lines })).toBe('');
  expect(happenedWords({ happened: { type: 'failed' }, lines })).toBe('failed');
});

test('where sessions stand is the same object until it changes, however fast a text streams', () => {
  const turn: Turn = {
    ...emptyTurn({ requestId: 't', sessionId: 's', projectId: FOXES.projectId }),
    seq: 2,
    phase: { phase: 'action_phase', cycle: 1, isFinal: false, open: true },
  };
  const saying = (text: string): Turn => ({ ...turn, items: [{ kind: 'text', seq: 2, text }] });
  const chats = (now: Turn) => ({ s: { ...NEW_CHAT, turns: [now] }, empty: NEW_CHAT });
  const first = standingsOf(chats(saying('Foxes')), new Map());
  expect([...first]).toEqual([['s', { status: expect.objectContaining({ words: 'Answering' }), waits: false }]]);
  expect(standingsOf(chats(saying('Foxes dig')), first)).toBe(first);
  const of = {
    type: 'call' as const,
    toolCallId: 'c',
    name: 'write_file',
    summary: '',
    by: 'default' as const,
    keeps: null,
  };
  const asks = { ...saying('Foxes dig'), pending: { digest: 'd', of } };
  const second = standingsOf(chats(asks), first);
  expect(second.get('s')?.waits).toBe(true);
  expect(standingsOf(chats(asks), second)).toBe(second);
  expect(standingsOf(chats({ ...asks, interrupted: true }), second).get('s')).toEqual({ status: null, waits: false });
  expect(standingsOf({}, second).size).toBe(0);
});
