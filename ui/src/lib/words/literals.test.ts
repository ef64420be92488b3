import { expect, test } from 'vitest';
import { literals } from './literals';
import unconverted from './unconverted.json' with { type: 'json' };

const sources = import.meta.glob<string>(['../**/*.svelte', '../../*.svelte'], { query: '?raw', import: 'default', eager: true });

test('all words of a component come from the catalogue; those that still hold their own are listed exactly', () => {
  const own = Object.entries(sources).flatMap(([name, source]) => literals(source).map(({ text, line }) => ({ name: name.replace(/^(?:\.\.\/)+/u, ''), place: `${name}:${line}: ${text}` })));
  expect(own.filter(({ name }) => !unconverted.includes(name)).map(({ place }) => place)).toEqual([]);
  expect(unconverted.filter((name) => !own.some((each) => each.name === name))).toEqual([]);
  expect(Object.keys(sources).length).toBeGreaterThan(120);
});

const texts = (source: string) => literals(source).map(({ text }) => text);

test('text, attributes that are read, and words in code are found', () => {
  expect(texts('<p>Nothing matches.</p>')).toEqual(['Nothing matches.']);
  expect(texts('<input placeholder="search here" class="big field" />')).toEqual(['search here']);
  expect(texts("<Confirm action={gone ? 'Remove' : say.keep} />")).toEqual(['Remove']);
  expect(texts('<Confirm action="Remove" tone="problem" />')).toEqual(['Remove']);
  expect(texts("<script lang=\"ts\">\n  const label: string = 'Open folder';\n</script>")).toEqual(['Open folder']);
  expect(texts('<p title={`at line ${line}`}></p>')).toEqual(['at line x']);
  expect(texts('{#if open}<b>of</b>{/if}')).toEqual(['of']);
});

test('names of keys, selectors, classes, types, imports and comments are not', () => {
  expect(texts("<script lang=\"ts\">\n  import A from './Some Name.svelte';\n  type T = 'Some words';\n  // Words of a comment.\n  const q = ':scope > [data-turn]';\n  const k = event.key === 'Enter';\n</script>\n<!-- Words of a comment. --><p class=\"one two\" {title}>{k} · {q}</p>\n<style>p { color: red; }</style>")).toEqual([]);
});
