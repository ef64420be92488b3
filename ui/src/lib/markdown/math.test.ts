import { readFileSync } from 'node:fs';
import temml from 'temml';
import { expect, test } from 'vitest';
import { tooMuch } from './math';
import { quickest } from './quickest';

interface Made {
  children?: readonly Made[];
}

/** Parts that the library makes of a formula; 0 where it makes none. */
function partsOf(tex: string): number {
  const count = ({ children = [] }: Made): number => children.reduce((sum, child) => sum + count(child), 1);
  try {
    return count(
      temml.__renderToMathMLTree(tex, {
        displayMode: true,
        throwOnError: true,
        trust: false,
        strict: false,
        maxExpand: 100,
        maxSize: [20, 20],
      }) as Made,
    );
  } catch {
    return 0;
  }
}

const nested = (head: string, tail: string, depth: number) => `${head.repeat(depth)}x${tail.repeat(depth)}`;

test('what is nested deep, ten thousand times, or a megabyte long is known to be too much in no time', () => {
  const formulas = [
    'x'.repeat(1_000_000),
    '{'.repeat(1_000_000),
    nested('{', '}', 10_000),
    nested('\\frac{', '}{y}', 10_000),
    nested('\\sqrt{', '}', 600),
    nested('\\left(', '\\right)', 10_000),
    nested('\\begin{matrix}', '\\end{matrix}', 200),
    '\\frac{'.repeat(10_000),
  ];
  const took = quickest(() => expect(formulas.filter((tex) => !tooMuch(tex))).toEqual([]));
  expect(took).toBeLessThan(500);
});

test('a formula that the library would make over and over is too much, and one that uses the same commands is not', () => {
  const bomb = ['\\llap', '\\mathllap', '\\equilibriumLeft', '\\equilibriumRight', '\\cancelto{0}'].map((command) =>
    nested(`${command}{`, '}', 12),
  );
  for (const tex of [
    ...bomb,
    nested('\\ce{A <=>>[$', '$] B}', 12),
    `\\def\\a{${'x'.repeat(3_500)}}${'\\a'.repeat(99)}`,
    '\\newcommand{\\a}[1]{#1#1}\\a{\\a{x}}',
    '\\let\\a=b',
    `\\llap{\\llap{\\llap{${'x'.repeat(1_000)}}}}`,
  ])
    expect(tooMuch(tex)).toBe(true);
  for (const tex of [
    '\\frac{\\cancelto{0}{x} + \\cancelto{1}{y}}{\\cancelto{2}{z}}',
    '\\ce{CO2 + C <=> 2 CO}',
    '\\mathllap{a} = b',
    '\\underline{x}\\left.y\\right|',
    'x'.repeat(4_000),
    '\\definecolor{a}{HTML}{ff0000}x',
  ])
    expect(tooMuch(tex)).toBe(false);
});

test('no command of the library makes its content again and again, but for those that are known', () => {
  const source = readFileSync('node_modules/temml/dist/temml.mjs', 'utf8');
  const commands = [...new Set([...source.matchAll(/"\\\\([A-Za-z@]+)"/g)].map(([, name]) => `\\${name}`))].filter(
    (name) => !tooMuch(`${name}{x}`),
  );
  expect(commands.length).toBeGreaterThan(900);
  const shapes: ((command: string) => [string, string])[] = [
    (command) => [`${command}{`, '}'],
    (command) => [`${command}{x}{`, '}'],
    (command) => [`${command}{`, '}{x}'],
    (command) => [`${command}[x]{`, '}'],
    (command) => [`{${command} `, '}'],
  ];
  const grows = commands.filter((command) =>
    shapes.some((shape) => partsOf(nested(...shape(command), 9)) > 1_000 && !tooMuch(nested(...shape(command), 9))),
  );
  expect(grows).toEqual([]);
  // What is let through makes no more than so many parts: an element or a text for each sign, three times over.
  expect(partsOf('x+'.repeat(2_000))).toBeLessThan(12_000);
});
