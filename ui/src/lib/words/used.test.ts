import { expect, test } from 'vitest';
import * as en from './en';

const sources = Object.values(
  import.meta.glob<string>(['../../**/*.{ts,svelte}', '!../../**/*.test.ts', '!./en/**', '!../generated/**'], {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
).map((source) => source.replace(/<style[^]*?<\/style>/gu, ''));

/**
 * The words that no source asks for, by their path. What is looked up by a value (`words.columns[kind]`) is used as a
 * whole, and so is a table within a group.
 */
function unused(): string[] {
  return Object.entries(en).flatMap(([group, all]) => {
    const own = sources
      .filter((source) => new RegExp(`\\bwords\\.${group}\\b|\\b${group}\\b[^;]*\\} = words\\b`, 'u').test(source))
      .join('\n');
    if (own.includes(`words.${group}[`)) return [];
    return Object.keys(all)
      .filter((name) => !new RegExp(`\\.${name}\\b|\\{[^{}]*\\b${name}\\b[^{}]*\\} = `, 'u').test(own))
      .map((name) => `${group}.${name}`);
  });
}

test('every word of the catalogue is asked for where its group is used', () => {
  expect(unused()).toEqual([]);
  expect(Object.keys(en).length).toBeGreaterThan(50);
});
