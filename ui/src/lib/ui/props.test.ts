import { expect, test } from 'vitest';

const sources = import.meta.glob<string>('./**/*.svelte', { query: '?raw', import: 'default', eager: true });

/** One for each region of the window: they connect it to its state, and all others take props and give callbacks. */
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

test('components take props: no more of them than these know the state of the whole window', () => {
  const connected = Object.entries(sources).filter(([, source]) => source.includes('useOrion'));
  expect(connected.map(([name]) => name).filter((name) => !REGIONS.includes(name))).toEqual([]);
  expect(Object.keys(sources).length).toBeGreaterThan(50);
});
