// Formulas and diagrams of every size: those that are far too large, and those that are as dear as one that is drawn can be.

import { Recording } from './recording';
import type { Script } from './scripts';

const MB = 1_000_000;
const DEEP = 10_000;

const nested = (head: string, tail: string, depth: number) => `${head.repeat(depth)}x${tail.repeat(depth)}`;
const lines = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n');

/** None of them is drawn. */
const TOO_LARGE_FORMULAS = [
  `$$\n${'x+'.repeat(MB / 2)}x\n$$`,
  `$$\n${lines(MB / 80, () => 'x+'.repeat(39))}\n$$`,
  `$${'x+'.repeat(MB / 2)}x$`,
  `\\[\n${nested('{', '}', DEEP)}\n\\]`,
  `$$\n${nested('\\frac{', '}{y}', DEEP)}\n$$`,
  `$$\n${nested('\\frac{', '}{y}', 400)}\n$$`,
  `$${nested('\\frac{', '}{y}', DEEP)}$`,
  `$$\n${'\\frac{'.repeat(DEEP)}\n$$`,
  ...['\\llap', '\\cancelto{0}', '\\equilibriumRight'].map((command) => `$$\n${nested(`${command}{`, '}', 38)}\n$$`),
  `$$\n\\def\\a{${'x'.repeat(3_500)}}${'\\a'.repeat(99)}\n$$`,
];

const TOO_LARGE_DIAGRAMS = [
  `flowchart LR\n  a["${'x '.repeat(MB / 2)}"]`,
  `flowchart LR\n${lines(MB / 10, (index) => `  n${index} --> m`)}`,
  `flowchart LR\n${'subgraph s\n'.repeat(DEEP)}a\n${'end\n'.repeat(DEEP)}`,
  `flowchart LR\n  a${'['.repeat(DEEP)}x${']'.repeat(DEEP)}`,
  'block-beta\n  columns 1\n  a space:9999999',
  `---\n${lines(12, (index) => `k${index}: &k${index} [${Array.from({ length: 9 }, () => (index === 0 ? 'x' : `*k${index - 1}`)).join(',')}]`)}\n---\nflowchart LR\n  a --> b`,
];

/** As dear as one can be that is drawn. */
const DEAR_FORMULAS = [
  'x+'.repeat(1_999),
  nested('\\frac{', '}{y}', 39),
  nested('\\sqrt{', '}', 39),
  nested('x^{', '}', 39),
  nested('\\left(', '\\right)', 39),
  nested('\\underbrace{', '}_{y}', 39),
  nested('\\cancelto{0}{', '}', 4),
  `\\begin{matrix}${'a&'.repeat(980)}\\end{matrix}`,
  `\\begin{matrix}${'a\\\\'.repeat(980)}\\end{matrix}`,
  `\\begin{matrix}${lines(30, () => `${'a&'.repeat(30)}\\\\`)}\\end{matrix}`,
].map((tex) => `$$\n${tex}\n$$`);

const other = (index: number, count: number) => (index * 37 + 11) % count;
const WORDS = 'x '.repeat(94);
const DEAR_DIAGRAMS = [
  `flowchart TD\n${lines(60, (index) => `n${index} -->|"a label"| n${other(index, 60)}`)}`,
  `flowchart LR\n${lines(18, (index) => `a${index}["${WORDS}"]`)}`,
  `classDiagram\n${lines(60, (index) => `C${index} "1" --> "*" C${other(index, 60)} : has`)}`,
  `stateDiagram-v2\n${lines(60, (index) => `s${index} --> s${other(index, 40)} : label`)}`,
  `erDiagram\n${lines(60, (index) => `E${index} ||--o{ E${other(index, 60)} : "a label"`)}`,
  `mindmap\n  root\n${lines(38, (index) => `    n${index}["${'x '.repeat(40)}"]`)}`,
  `timeline\n${lines(19, (index) => `  ${index} : ${WORDS}`)}`,
  `sequenceDiagram\n${lines(148, (index) => `A${index}->>A${other(index, 148)}: m`)}`,
  `gantt\n  dateFormat YYYY-MM-DD\n  section a\n${lines(140, (index) => `  t${index} :a${index}, 2024-01-01, ${index}d`)}`,
];

const fence = (source: string) => `\`\`\`mermaid\n${source}\n\`\`\``;

const said =
  (text: string): Script =>
  (ids, asked, startMs) =>
    new Recording(ids, asked, startMs)
      .wait(40)
      .action()
      .wait(40)
      .say(text, 4_000, 1)
      .end('answered', 'stop')
      .completed();

export const largeFormulas = said([...TOO_LARGE_FORMULAS, 'That was all.'].join('\n\n'));
export const largeDiagrams = said([...TOO_LARGE_DIAGRAMS.map(fence), 'That was all.'].join('\n\n'));
export const dearFormulas = said([...DEAR_FORMULAS, 'That was all.'].join('\n\n'));
export const dearDiagrams = said(['flowchart LR\n  the --> first', ...DEAR_DIAGRAMS].map(fence).join('\n\n'));
