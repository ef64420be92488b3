import { expect, test } from 'vitest';
import { FOXES, session } from '$lib/backend/replay/fixtures';
import { sectionsOf, stopsOf } from '$lib/model/sidebar';
import { moved, Roving } from './roving.svelte';

const sessions = ['Ant', 'Badger', 'Bear', 'Cat'].map((title, at) => session(title, FOXES.projectId, title, at));
const stops = stopsOf(sectionsOf([FOXES], sessions, {}, '', Date.now()), () => true);
const keys = stops.map(({ key }) => key);

test('arrows stay in the list, Home and End reach its ends, and left leads to the project', () => {
  const to = (key: string, from: string | null) => moved(stops, from, key);
  expect(keys).toEqual(['project p-foxes', 'session Ant', 'session Badger', 'session Bear', 'session Cat']);
  expect([to('ArrowDown', 'session Cat'), to('ArrowUp', 'project p-foxes'), to('ArrowDown', null)]).toEqual([
    'session Cat',
    'project p-foxes',
    'project p-foxes',
  ]);
  expect([
    to('Home', 'session Bear'),
    to('End', 'session Ant'),
    to('ArrowLeft', 'session Bear'),
    to('ArrowLeft', 'project p-foxes'),
    to('ArrowRight', 'project p-foxes'),
  ]).toEqual(['project p-foxes', 'session Cat', 'project p-foxes', null, 'session Ant']);
});

test('Ctrl adds one, Shift reaches from where one began, and a plain click selects nothing', () => {
  const roving = new Roving();
  const choose = (key: string, adds: boolean, reaches: boolean) => [
    roving.choose(stops, key, { adds, reaches }),
    [...roving.selected],
  ];
  expect(choose('session Ant', false, false)).toEqual([false, []]);
  expect(choose('session Bear', false, true)).toEqual([true, ['Ant', 'Badger', 'Bear']]);
  expect(choose('session Badger', false, true)).toEqual([true, ['Ant', 'Badger']]);
  expect(choose('session Cat', true, false)).toEqual([true, ['Ant', 'Badger', 'Cat']]);
  expect(choose('session Badger', true, false)).toEqual([true, ['Ant', 'Cat']]);
  expect([roving.meant('Cat'), roving.meant('Bear')]).toEqual([['Ant', 'Cat'], ['Bear']]);
  expect(choose('session Bear', false, false)).toEqual([false, []]);
});

test('letters find the next name that begins with them, and more letters a longer one', () => {
  const roving = new Roving();
  roving.active = 'session Badger';
  expect(roving.typed(stops, 'b', 1_000)).toBe('session Bear');
  roving.active = 'session Bear';
  expect(roving.typed(stops, 'e', 1_200)).toBe('session Bear');
  expect(roving.typed(stops, 'B', 3_000)).toBe('session Badger');
  expect(roving.typed(stops, 'x', 5_000)).toBe(null);
});
