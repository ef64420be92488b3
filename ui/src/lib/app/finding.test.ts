import { expect, test } from 'vitest';
import type { Found } from '$lib/generated/Found';
import { Finder } from './finding.svelte';
import { fewOfEach } from './searching.svelte';

/** Pages of numbers that come when the test says so. */
function paged(pages: number[][], start: (hits: readonly number[], all: boolean) => number | null = () => 0) {
  const shown: number[] = [];
  const gates = pages.map(() => {
    let open = () => {};
    const opened = new Promise<void>((resolve) => (open = resolve));
    return { opened, open };
  });
  const finder = new Finder<number>(
    async function* () {
      for (const [index, page] of pages.entries()) {
        await gates[index]?.opened;
        yield page;
      }
    },
    start,
    (hit) => {
      shown.push(hit);
      return Promise.resolve();
    },
  );
  return { finder, shown, open: (index: number) => gates[index]?.open() };
}

const settled = () => new Promise((resolve) => setTimeout(resolve));

test('it begins at the first page that has a place, and goes round in both directions', async () => {
  const { finder, shown, open } = paged([[], [1, 2], [3]]);
  const looks = finder.look('fox');
  open(0);
  await settled();
  expect([finder.at, finder.looking]).toEqual([null, true]);
  open(1);
  await settled();
  expect([finder.at, finder.hits.length]).toEqual([0, 2]);
  open(2);
  await looks;
  expect([finder.looking, finder.hits.length]).toEqual([false, 3]);
  finder.step(-1);
  finder.step(1);
  finder.step(1);
  expect(shown).toEqual([1, 3, 1, 2]);
});

test('where the place to begin with may still come, nothing is shown before all are there', async () => {
  const { finder, shown, open } = paged([[1, 2], [3]], (hits, all) => (all ? hits.length - 1 : null));
  const looks = finder.look('fox');
  open(0);
  await settled();
  expect(shown).toEqual([]);
  open(1);
  await looks;
  expect(shown).toEqual([3]);
});

test('of two texts that are typed one after the other, only the second one is found', async () => {
  const { finder, shown, open } = paged([[1], [2]]);
  const first = finder.look('f');
  const second = finder.look('');
  open(0);
  open(1);
  await Promise.all([first, second]);
  expect([finder.hits.length, finder.at, finder.looking, shown]).toEqual([0, null, false, []]);
});

test('one that cannot be looked for is said so, and looks again', async () => {
  let fails = true;
  const finder = new Finder<number>(
    async function* () {
      await settled();
      if (fails) throw new Error('no');
      yield [1];
    },
    () => 0,
    () => Promise.resolve(),
  );
  await finder.look('fox');
  expect([finder.failed, finder.looking]).toEqual([true, false]);
  fails = false;
  await finder.look('fox');
  expect([finder.failed, finder.at]).toEqual([false, 0]);
});

test('one session does not fill the list', () => {
  const found = (sessionId: string) => ({ session: { sessionId }, foundIn: 'answer' }) as Found;
  const many = [...Array.from({ length: 40 }, () => found('a')), found('b'), found('c')];
  expect(fewOfEach(many).map(({ session }) => session.sessionId)).toEqual(['a', 'a', 'a', 'b', 'c']);
});
