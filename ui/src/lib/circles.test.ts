import { expect, test } from 'vitest';

const sources = import.meta.glob<string>(['./**/*.{ts,svelte,js}', '!./**/*.test.ts', '!./generated/**'], {
  query: '?raw',
  import: 'default',
  eager: true,
});

/** `from` and the name of a module, as the path of its source; null where it is none of these. */
function resolved(from: string, name: string): string | null {
  if (!/^(?:\$lib\/|\.)/u.test(name)) return null;
  const parts: string[] = [];
  for (const part of (name.startsWith('$lib/') ? name.slice(5) : `${from}/../${name}`).split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  const path = `./${parts.join('/')}`;
  return [path, `${path}.ts`, `${path}/index.ts`].find((each) => each in sources) ?? null;
}

/** What a module has from others when it runs: types are gone by then. */
function imports(path: string): string[] {
  const statements = (sources[path] ?? '').matchAll(
    /^\s*(?:import|export)\s+(?!type\b)([^'";]*?)\s*(?:from\s*)?'([^']+)';/gmu,
  );
  return [...statements].flatMap(([, names = '', module = '']) => {
    const onlyTypes =
      /^\{.*\}$/su.test(names) &&
      names
        .slice(1, -1)
        .split(',')
        .every((each) => /^\s*(?:type\s|$)/u.test(each));
    const at = onlyTypes ? null : resolved(path, module);
    return at === null ? [] : [at];
  });
}

/** The modules that a module names, for their types as well. */
function named(path: string): string[] {
  const statements = (sources[path] ?? '').matchAll(/^\s*(?:import|export)\s+[^'";]*?\s*(?:from\s*)?'([^']+)';/gmu);
  return [...statements].flatMap(([, module = '']) => resolved(path, module) ?? []);
}

/** The modules of each circle, whatever the ways within it. */
function knots(paths: readonly string[], next: (path: string) => readonly string[]): string[][] {
  const reached = new Map(paths.map((path) => [path, reach(path, next)]));
  const inCircle = paths.filter((path) => reached.get(path)?.has(path));
  const found: string[][] = [];
  for (const path of inCircle) {
    const knot = inCircle.filter((other) => reached.get(path)?.has(other) && reached.get(other)?.has(path));
    if (knot[0] === path && knot.length > 1) found.push(knot);
  }
  return found;
}

function reach(from: string, next: (path: string) => readonly string[]): Set<string> {
  const found = new Set<string>();
  const left = [...next(from)];
  for (let path = left.pop(); path !== undefined; path = left.pop()) {
    if (found.has(path)) continue;
    found.add(path);
    left.push(...next(path));
  }
  return found;
}

function circles(paths: readonly string[], next: (path: string) => readonly string[]): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  function visit(path: string, way: readonly string[]): void {
    if (way.includes(path)) found.push([...way.slice(way.indexOf(path)), path].join(' → '));
    if (done.has(path) || way.includes(path)) return;
    for (const other of next(path)) visit(other, [...way, path]);
    done.add(path);
  }
  for (const path of paths) visit(path, []);
  return found;
}

/** A component may show another of its kind within itself. */
const ofItself = (circle: string) => circle.split(' → ').every((path, _, all) => path === all[0]);

test('the modules of the window form no circle, but for those that only types make', () => {
  const paths = Object.keys(sources);
  expect(paths.flatMap(imports).length).toBeGreaterThan(500);
  expect(circles(paths, imports).filter((circle) => !ofItself(circle))).toEqual([]);
});

/** The window's state, which the parts of it name by its type. */
const WHOLE = './app/window.svelte.ts';

/** Modules whose types name each other. */
const KNOTS: readonly (readonly string[])[] = [
  ['./backend/replay/attachments.ts', './backend/replay/recording.ts'],
  ['./markdown/dialect.ts', './markdown/formula.ts'],
  ['./model/event.ts', './model/item.ts', './model/pending.ts', './model/turn.ts', './model/write.ts'],
];

test('types make no circle, but for those that are listed', () => {
  const others = (path: string) => named(path).filter((other) => other !== WHOLE || !path.startsWith('./app/'));
  expect(knots(Object.keys(sources).sort(), others)).toEqual(KNOTS);
});

test('a circle is found, and only a circle', () => {
  const graph: Record<string, string[]> = { a: ['b', 'c'], b: ['c'], c: ['d'], d: ['b'] };
  expect(knots(Object.keys(graph), (path) => graph[path] ?? [])).toEqual([['b', 'c', 'd']]);
  expect(circles(Object.keys(graph), (path) => graph[path] ?? [])).toEqual(['b → c → d → b']);
  expect(circles(['a', 'b'], (path) => (path === 'a' ? ['b'] : []))).toEqual([]);
});
