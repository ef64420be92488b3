import { expect, test } from 'vitest';
import exceptions from './exceptions.json' with { type: 'json' };
import { literals, literalsOfModule } from './literals';
import listed from './unconverted.json' with { type: 'json' };

const sources = import.meta.glob<string>(['../**/*.svelte', '../../*.svelte'], {
  query: '?raw',
  import: 'default',
  eager: true,
});

const modules = import.meta.glob<string>(['../{app,markdown,model,ui}/**/*.ts', '!../**/*.test.ts'], {
  query: '?raw',
  import: 'default',
  eager: true,
});

/** Files that still hold their own. */
const unconverted: readonly string[] = listed;

const nameOf = (path: string) => path.replace(/^(?:\.\.\/)+/u, '');
/** What is none of the catalogue's business, by file and with the reason. */
const excepted = new Map<string, readonly string[]>(
  Object.entries(exceptions).map(([name, { texts }]) => [name, texts]),
);

test('all words of components and modules come from the catalogue; those that still hold their own are listed exactly', () => {
  const found = [
    ...Object.entries(sources).map(([path, source]) => [nameOf(path), literals(source)] as const),
    ...Object.entries(modules).map(([path, source]) => [nameOf(path), literalsOfModule(source)] as const),
  ];
  const own = found.flatMap(([name, texts]) =>
    texts
      .filter(({ text }) => !excepted.get(name)?.includes(text))
      .map(({ text, line }) => ({ name, place: `${name}:${line}: ${text}` })),
  );
  expect(own.filter(({ name }) => !unconverted.includes(name)).map(({ place }) => place)).toEqual([]);
  expect(unconverted.filter((name) => !own.some((each) => each.name === name))).toEqual([]);
  expect(Object.keys(sources).length).toBeGreaterThan(120);
  expect(Object.keys(modules).length).toBeGreaterThan(90);
  const stale = Object.entries(exceptions).flatMap(([name, { texts }]) =>
    texts
      .filter((text) => !found.some(([file, all]) => file === name && all.some((each) => each.text === text)))
      .map((text) => `${name}: ${text}`),
  );
  expect(stale).toEqual([]);
});

const texts = (source: string) => literals(source).map(({ text }) => text);

test('text, attributes that are read, and words in code are found', () => {
  expect(texts('<p>Nothing matches.</p>')).toEqual(['Nothing matches.']);
  expect(texts('<input placeholder="search here" class="big field" />')).toEqual(['search here']);
  expect(texts("<Confirm action={gone ? 'Remove' : say.keep} />")).toEqual(['Remove']);
  expect(texts('<Confirm action="Remove" tone="problem" />')).toEqual(['Remove']);
  expect(texts('<script lang="ts">\n  const label: string = \'Open folder\';\n</script>')).toEqual(['Open folder']);
  expect(texts('<p title={`at line ${line}`}></p>')).toEqual(['at line x']);
  expect(texts('{#if open}<b>of</b>{/if}')).toEqual(['of']);
  expect(literalsOfModule("const label: string = 'Open folder';\n").map(({ text, line }) => `${line} ${text}`)).toEqual(
    ['1 Open folder'],
  );
});

test('names of keys, selectors, classes, types, imports, comments and faults of the program are not', () => {
  expect(literalsOfModule("throw new Error('No session is open.');")).toEqual([]);
  expect(
    texts(
      "<script lang=\"ts\">\n  import A from './Some Name.svelte';\n  type T = 'Some words';\n  // Words of a comment.\n  const q = ':scope > [data-turn]';\n  const k = event.key === 'Enter';\n</script>\n<!-- Words of a comment. --><p class=\"one two\" {title}>{k} · {q}</p>\n<style>p { color: red; }</style>",
    ),
  ).toEqual([]);
});
