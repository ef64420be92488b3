import { expect, test, vi } from 'vitest';
import type { Backend } from '$lib/backend/backend';
import { error } from '$lib/backend/replay/fixtures';
import type { DiffRow } from '$lib/generated/DiffRow';
import type { Query } from '$lib/generated/Query';
import { Rows } from './rows.svelte';

const row = (index: number): DiffRow => ({
  kind: 'added',
  old: null,
  new: index + 1,
  text: `line ${index}`,
  cut: 0,
  noLineEnd: false,
  marks: [],
});
const of = { requestId: 't', write: 1, digest: 'd', path: 'a.unknown', total: 100_000 };

function backend(fails = false): { asked: Query[]; rows: Rows } {
  const asked: Query[] = [];
  const query = (question: Query) => {
    asked.push(question);
    if (fails) return Promise.reject(error('approval_stale', 'Not this one.', ''));
    const { from, count } = question as Extract<Query, { type: 'write_rows' }>;
    return Promise.resolve({
      type: 'write_rows',
      rows: Array.from({ length: count }, (_, index) => row(from + index)),
    });
  };
  return { asked, rows: new Rows({ query } as unknown as Backend, of) };
}

test('rows are asked for by the page, and each page once', async () => {
  const { asked, rows } = backend();
  expect(rows.at(511)).toBeNull();
  for (const wanted of [3, 511, 512, 3]) rows.want(wanted);
  await Promise.resolve();
  expect(await rows.all(500, 600)).toEqual(Array.from({ length: 100 }, (_, index) => row(500 + index)));
  expect(asked).toEqual(
    [0, 512].map((from) => ({ type: 'write_rows', requestId: 't', write: 1, digest: 'd', from, count: 512 })),
  );
  expect([rows.at(511), rows.at(512)]).toEqual([row(511), row(512)]);
});

test('what was looked at long ago is let go and asked for again', async () => {
  const { asked, rows } = backend();
  await rows.all(0, 512);
  // More than are kept are all had at once, none of them lost on the way.
  expect((await rows.all(512, 512 + 130 * 512)).length).toBe(130 * 512);
  expect(rows.at(0)).toBeNull();
  await rows.all(0, 512);
  expect([rows.at(0), asked.length]).toEqual([row(0), 132]);
});

test('an error is kept for the person, and asking again is possible', async () => {
  const { asked, rows } = backend(true);
  await expect(rows.all(0, 10)).rejects.toMatchObject({ code: 'approval_stale' });
  expect(rows.failure?.code).toBe('approval_stale');
  rows.want(3);
  expect(await rows.rowOfLine(1, 0, 10)).toBeNull();
  expect(asked.length).toBe(1);
  rows.retry();
  expect(rows.failure).toBeNull();
  await expect(rows.all(0, 10)).rejects.toMatchObject({ code: 'approval_stale' });
  expect(asked.length).toBe(2);
});

test('a line is found among its rows, past those that are removed', async () => {
  const kinds = [
    ...Array<'added'>(600).fill('added'),
    ...Array<'removed'>(700).fill('removed'),
    ...Array<'added'>(600).fill('added'),
  ];
  let line = 0;
  const all = kinds.map((kind, index): DiffRow => ({
    ...row(index),
    kind,
    old: kind === 'removed' ? index : null,
    new: kind === 'added' ? ++line : null,
  }));
  const query = ({ from, count }: { from: number; count: number }) =>
    Promise.resolve({ type: 'write_rows', rows: all.slice(from, from + count) });
  const rows = new Rows({ query } as unknown as Backend, of);
  expect(
    await Promise.all([1, 600, 601, 1_200, 1_201].map((wanted) => rows.rowOfLine(wanted, wanted - 1, all.length))),
  ).toEqual([0, 599, 1_300, 1_899, null]);
});

test('rows on both sides of the border of a page have their colours, whichever came first, and lose them with their page', async () => {
  const code = (index: number): DiffRow => ({ ...row(index), text: 'let fox = 1;' });
  const query = ({ from, count }: { from: number; count: number }) =>
    Promise.resolve({ type: 'write_rows', rows: Array.from({ length: count }, (_, index) => code(from + index)) });
  const rows = new Rows({ query } as unknown as Backend, { ...of, path: 'a.rs' });
  const coloured = () => [500, 511, 512, 520].map((at) => rows.coloursOf(at) !== null);
  await rows.all(0, 512);
  rows.want(511);
  await vi.waitFor(() => expect(coloured()).toEqual([true, true, false, false]), { timeout: 20_000 });
  await rows.all(512, 1_024);
  rows.want(512);
  await vi.waitFor(() => expect(coloured()).toEqual([true, true, true, true]), { timeout: 20_000 });
  await rows.all(1_024, 1_024 + 127 * 512);
  expect(coloured()).toEqual([false, false, true, true]);
}, 60_000);

test('W6: a line that is cut is opened piece by piece, counted in characters, and is unseen until its end is there', async () => {
  const asked: number[] = [];
  const pieces = ['🦊cd', 'ef'];
  const cut = {
    ...row(7),
    text: 'a🦊',
    cut: 5,
    marks: [
      { from: 0, to: 1, kind: 'changed' as const },
      { from: 3, to: 3, kind: 'control' as const },
    ],
  };
  const query = (question: Query) => {
    if (question.type !== 'row_rest')
      return Promise.resolve({
        type: 'write_rows',
        rows: Array.from({ length: 512 }, (_, index) => (index === 7 ? cut : row(index))),
      });
    asked.push(question.from);
    const text = pieces[asked.length - 1] ?? '';
    return Promise.resolve({
      type: 'row_rest',
      rest: { text, cut: asked.length === 1 ? 2 : 0, marks: [{ from: 0, to: 2, kind: 'direction' }] },
    });
  };
  const rows = new Rows({ query } as unknown as Backend, { ...of, cut: [{ row: 7, cut: 5 }] });
  // It need not have been in view before.
  await rows.more?.(7);
  expect(rows.unseen).toEqual([7]);
  // What stood at the end for all of the rest has gone, and the rest has marks of its own.
  expect(rows.at(7)).toEqual({
    ...cut,
    text: 'a🦊🦊cd',
    cut: 2,
    marks: [cut.marks[0], { from: 3, to: 5, kind: 'direction' }],
  });
  await rows.more?.(7);
  await rows.more?.(7);
  expect([rows.at(7)?.text, rows.at(7)?.cut, rows.unseen, asked]).toEqual(['a🦊🦊cdef', 0, [], [2, 5]]);
});

test('what was written of several turns is not opened further: nothing of it is approved', () => {
  const rows = new Rows({} as Backend, { changes: { type: 'turn', requestId: 't' }, digest: 'd', path: 'a', total: 1 });
  expect([rows.more, rows.unseen]).toEqual([null, []]);
});
