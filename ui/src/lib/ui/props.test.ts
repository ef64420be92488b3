import { expect, test } from 'vitest';

const sources = import.meta.glob<string>(['./**/*.svelte', '../markdown/**/*.svelte'], {
  query: '?raw',
  import: 'default',
  eager: true,
});

/** One for each region of the window: they connect it to its state and to its preferences, and all others take props and give callbacks. */
const REGIONS = [
  './Layout.svelte',
  './chat/Chat.svelte',
  './composer/TurnChoices.svelte',
  './diff/DiffPane.svelte',
  './panel/Panel.svelte',
  './settings/Settings.svelte',
  './sidebar/Sidebar.svelte',
  './timeline/TurnTrace.svelte',
];

/** What there is once in the window, and can be reached from anywhere. */
const OF_THE_WINDOW = /\buseOrion\b|\bpreferences\b/u;

test('components take props: no more of them than these know the state or the preferences of the whole window', () => {
  const connected = Object.entries(sources).filter(([, source]) => OF_THE_WINDOW.test(source));
  expect(connected.map(([name]) => name).sort()).toEqual(REGIONS);
  expect(Object.keys(sources).length).toBeGreaterThan(100);
});
