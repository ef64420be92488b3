import fc from 'fast-check';
import { expect, test } from 'vitest';
import { figuresOf } from '$lib/backend/replay/figured';
import type { TurnFigures } from '$lib/generated/TurnFigures';
import { chartsOf } from './charts';
import { chosen, EVERYTHING, NEWEST_FIRST, ordered } from './choosing';
import { COLUMNS, type ColumnKey } from './columns';
import { sumWords } from './totals';

const DAY_MS = 86_400_000;
const AT = Date.UTC(2026, 2, 10, 12);
const KNOWN = { sessionId: 's', projectId: 'p', requestIds: [] };
const of = (many: number) => figuresOf({ type: 'everything' }, many, AT, KNOWN).turns;
const [TURN] = of(1) as [TurnFigures];
const at = (...startedAtMs: number[]) =>
  startedAtMs.map((atMs, index) => ({ ...TURN, requestId: `t-${index}`, startedAtMs: atMs }));

test('a chart has a bar for each turn, and for each hour, day or month where there are too many', () => {
  const names = (turns: TurnFigures[]) => chartsOf(turns)[0]?.bars.map(({ name }) => name) ?? [];
  expect(names(of(60))).toHaveLength(60);
  const hours = names(at(...Array.from({ length: 61 }, (_, index) => AT + index * 600_000)));
  expect(hours.length).toBeLessThan(13);
  const days = names(at(AT, ...Array.from({ length: 70 }, () => AT + 9 * DAY_MS)));
  expect(days).toHaveLength(10);
  // Days without turns are there too.
  expect(days[1]).toMatch(/, 0 turns$/);
  const months = names(at(...Array.from({ length: 100 }, (_, index) => AT + index * 40 * DAY_MS)));
  expect(months).toHaveLength(60);
  expect(names([])).toEqual([]);
});

test('a turn without a message summed the conversation up', () => {
  const ended = COLUMNS.find(({ key }) => key === 'ended');
  const words = (turn: Partial<TurnFigures>) => ended?.words({ ...TURN, stopReason: 'answered', ...turn });
  expect([words({}), words({ text: '' }), words({ text: '', stopReason: 'error' })]).toEqual([
    'Answered',
    'Summarized',
    'Failed',
  ]);
});

test('the bars of a chart add up to its sum, and what is not known is no bar of 0', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 400 }), (many) => {
      const turns = of(many);
      const tokens = chartsOf(turns)[0]?.bars.reduce((sum, { value }) => sum + (value ?? 0), 0);
      expect(tokens).toBe(
        turns.reduce((sum, turn) => sum + (turn.promptTokens ?? 0) + (turn.completionTokens ?? 0), 0),
      );
    }),
  );
  const [, cost] = chartsOf([{ ...TURN, costUsd: null }]);
  expect([cost?.bars[0]?.value, cost?.sum]).toEqual([null, 'not known']);
});

test('any column orders the turns in both directions, and what is not known comes last in both', () => {
  const turns = of(300);
  for (const { key, value } of COLUMNS) {
    for (const descending of [false, true]) {
      const values = chosen(turns, EVERYTHING, { by: key, descending }).map(value);
      expect(values).toHaveLength(300);
      const known = values.filter((one) => one !== null);
      expect(values.slice(0, known.length)).toEqual(known);
      const sign = descending ? -1 : 1;
      const pairs = known.slice(1).map((one, index) => [known[index], one] as const);
      for (const [before, after] of pairs) {
        if (typeof before === 'number' && typeof after === 'number')
          expect(sign * (after - before)).toBeGreaterThanOrEqual(0);
      }
    }
  }
});

test('a column that is chosen begins with the most of it, words with the first, and turns around', () => {
  const next = (by: ColumnKey) => ordered(NEWEST_FIRST, by);
  expect([next('tokens'), next('model'), next('started')]).toEqual([
    { by: 'tokens', descending: true },
    { by: 'model', descending: false },
    { by: 'started', descending: false },
  ]);
});

test('turns are found by their words, route, model and trouble, all at once', () => {
  const turns = of(600);
  const found = chosen(turns, { text: 'PARSER', route: 'unified', model: 'qwen3:8b', problems: true }, NEWEST_FIRST);
  expect(found.length).toBeGreaterThan(0);
  for (const turn of found) {
    expect([turn.text, turn.route, turn.model]).toEqual(['What changed in the parser?', 'unified', 'qwen3:8b']);
    expect(turn.stopReason !== 'answered' || turn.duplicatesRefused > 0).toBe(true);
  }
});

test('a sum says what it leaves out', () => {
  const figures = figuresOf({ type: 'everything' }, 300, AT, KNOWN);
  const words = sumWords({ ...figures, unreadable: 2 });
  expect(words[0]).toMatch(/^300 turns, 2\d\d answered$/);
  expect(words.some((part) => part.startsWith('at least $'))).toBe(true);
  expect(words.slice(-2)).toEqual(['1 not finished, and not counted', '2 reports cannot be read']);
});
