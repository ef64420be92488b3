import fc from 'fast-check';
import { expect, test } from 'vitest';
import { answered, record } from '$lib/backend/replay/scripts';
import { traced } from '$lib/backend/replay/traced';
import { Timeline } from '../timeline/timeline';
import { compared, type Line, linesOf } from './align';

function timelineOf(script: typeof answered): Timeline {
  const timeline = new Timeline('t');
  for (const { update } of record(script, 't', 's', 'p', 'Why?').beats)
    if (update.type === 'span') timeline.take(update.span);
  return timeline;
}

const step = { index: 0, number: 1, sort: 'step' as const, startMs: 0, entries: [] };
const line = (key: string): Line => ({
  step,
  name: 'Step',
  answers: false,
  did: [{ name: key, detail: '', outcome: '' }],
  key,
});
const lines = fc.array(fc.constantFrom('a', 'b', 'c').map(line), { maxLength: 12 });

test('a turn is the same as itself, and two turns that did something else differ where they did', () => {
  const [one, other] = [linesOf(timelineOf(answered)), linesOf(timelineOf(traced))];
  expect(one.length).toBeGreaterThan(1);
  expect(compared(one, one)).toMatchObject({ differs: null, words: 'Both took the same steps.' });
  expect(compared(one, other).words).toBe('First difference: search_files Config::load, only in the second.');
});

test('nothing is left out and nothing changes its place, and what is the same in both stands side by side', () => {
  fc.assert(
    fc.property(lines, lines, (left, right) => {
      const { rows, differs } = compared(left, right);
      expect(rows.flatMap((row) => row.left ?? [])).toEqual(left);
      expect(rows.flatMap((row) => row.right ?? [])).toEqual(right);
      for (const row of rows) if (row.same) expect(row.left?.key).toBe(row.right?.key);
      const prefix = left.findIndex(({ key }, index) => right[index]?.key !== key);
      const equal = prefix === -1 ? left.length : prefix;
      expect(differs).toBe(left.length === right.length && equal === left.length ? null : equal);
    }),
  );
});

test('a step that only one of them has is put between the common ones', () => {
  const { rows, words } = compared(['a', 'b', 'c'].map(line), ['a', 'x', 'b', 'c'].map(line));
  expect(rows.map(({ left, right }) => `${left?.key ?? '-'}${right?.key ?? '-'}`)).toEqual(['aa', '-x', 'bb', 'cc']);
  expect(words).toBe('First difference: x, only in the second.');
});

test('the same call with another result is named as that', () => {
  const other = { ...line('a'), key: 'another result' };
  expect(compared([line('a')], [other]).words).toBe('First difference: a, with a different result.');
});
