import { expect, test } from 'vitest';
import schema from '../../../../../docs/config.schema.json' with { type: 'json' };
import { SETTINGS } from '$lib/generated/form';
import { found, PAGES, PLACES } from './places';

interface Shape {
  properties?: Record<string, Shape>;
  additionalProperties?: Shape | boolean;
}

/** The names that stand for those of the person's own, by the table that has them. */
const NAMES: Record<string, string> = { endpoints: 'NAME', tools: 'NAME', models: 'MODEL' };

/** Every key of a settings file, as its schema has them. */
function keysOf(shape: Shape, path: string[]): string[] {
  const own = Object.entries(shape.properties ?? {}).flatMap(([name, inner]) => keysOf(inner, [...path, name]));
  const { additionalProperties: named } = shape;
  const others = typeof named === 'object' ? keysOf(named, [...path, NAMES[path.at(-1) ?? ''] ?? 'ANY']) : [];
  return own.length + others.length === 0 ? [path.join('.')] : [...own, ...others];
}

const keys = new Set(PLACES.flatMap((place) => place.keys));

test('each declared setting has exactly one place on a page', () => {
  for (const { path } of SETTINGS) {
    expect([path, PLACES.filter((place) => place.keys.includes(path)).length]).toEqual([path, 1]);
  }
});

test('everything that a settings file can say has a place on a page', () => {
  const all = keysOf(schema as Shape, []);
  expect(all.length).toBeGreaterThan(SETTINGS.length + 12);
  expect(all.filter((key) => !keys.has(key))).toEqual([]);
});

test('everything that a file with prices can say has a place', () => {
  expect(['prompt', 'completion', 'cached', 'reasoning'].filter((name) => !keys.has(`NAME.MODEL.${name}`))).toEqual([]);
});

test('no place names a key that no file, variable or flag has', () => {
  const declared = new Set([
    ...keysOf(schema as Shape, []),
    ...SETTINGS.flatMap(({ variable, flag }) => [variable, flag === null ? null : `--${flag}`]),
  ]);
  const known = (key: string) =>
    declared.has(key) || key.startsWith('NAME.MODEL.') || /^ORION_|\.(?:toml|md)$/.test(key);
  expect([...keys].filter((key) => !known(key))).toEqual([]);
});

test('a search looks at names, descriptions and keys of all pages, and every word counts', () => {
  const labels = (typed: string) => found(typed).map(({ label }) => label);
  expect(labels('max_cycles')).toEqual(['Steps']);
  expect(labels('--max-cost')).toEqual(['Cost of a turn']);
  expect(labels('ORION_RETRY_S')).toEqual(['Retry an overloaded provider']);
  expect(labels('agents.md')[0]).toMatch(/AGENTS\.md/);
  expect(labels('reasoning effort')).toContain('Reasoning effort');
  expect(labels('thinking')[0]).toBe('Thinking');
  expect(labels('reasoning nonsense')).toEqual([]);
  expect(labels('  ')).toEqual([]);
  expect(labels('temperature')[0]).toBe('Temperature');
});

test('each page has something that can be found', () => {
  expect(PAGES.filter((page) => !PLACES.some((place) => place.page === page))).toEqual([]);
});
