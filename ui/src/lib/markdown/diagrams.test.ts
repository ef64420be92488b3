import { expect, test } from 'vitest';
import { checked, tooMuch } from './diagrams';
import { quickest } from './quickest';

test('a source that is too large or too deep never reaches the library, and is known in no time', () => {
  const sources = [
    `flowchart LR\n  a["${'x'.repeat(1_000_000)}"]`,
    `flowchart LR\n${'subgraph s\n'.repeat(10_000)}${'end\n'.repeat(10_000)}`,
    `flowchart LR\n${'subgraph s\n'.repeat(21)}${'end\n'.repeat(21)}`,
    `flowchart LR\n  a${'['.repeat(10_000)}`,
    `flowchart LR\n  a${'['.repeat(21)}`,
    `mindmap\n${Array.from({ length: 100 }, (_, index) => `${' '.repeat(index)}n`).join('\n')}`,
    `flowchart LR\n${'a\n'.repeat(101)}`,
    `sequenceDiagram\n${'A->>B: x\n'.repeat(151)}`,
    `flowchart LR\n${'a --> b\n'.repeat(61)}`,
    `timeline\n  1 : ${'x '.repeat(100)}`,
  ];
  const took = quickest(() => expect(sources.filter((source) => !tooMuch(source))).toEqual([]));
  expect(took).toBeLessThan(1_000);
  for (const source of [
    'flowchart LR\n  a[One] --> b{{Two}}\n  subgraph s\n    c\n  end',
    `sequenceDiagram\n${'A->>B: x\n'.repeat(100)}`,
  ])
    expect(tooMuch(source)).toBe(false);
});

test('what can keep the library busy for minutes in a line is never drawn: other kinds, days counted one by one, settings that stand for others', () => {
  const flow = 'flowchart LR\n  a --> b';
  for (const source of [
    'block-beta\n  a space:9999999',
    'packet-beta\n0-9999999: "x"',
    'radar-beta\naxis a\ncurve c{1}\nticks 9999999',
    'nothing',
    '',
    'gantt\n  excludes weekends\n  a : 2024-01-01, 99999d',
    'gantt\ntickInterval 1day\na : 2024-01-01, 99999d',
    `---\na: &a [x, x]\nb: [*a, *a]\n---\n${flow}`,
    `---\na: x\n  ---\nflowchart: &a [x]\n---\n${flow}`,
    `---\na: |\n  x\n---\n${flow}`,
    `---\na: x\n---\n---\nb: x\n---\n${flow}`,
    `---\na: {b: c}\n---\n${flow}`,
    '%%{init: {}}%% block-beta\n  a space:9999999',
    '%%{init: {}\nflowchart LR\n}%%block-beta\n  a space:9999999',
  ])
    expect([source, tooMuch(source)]).toEqual([source, true]);
  for (const source of [
    `---\ntitle: A title\nconfig:\n  theme: base\n  themeVariables:\n    primaryColor: "#eeffee"\n---\n${flow}`,
    `%% a remark\n%%{init: {\n  "theme": "base"\n}}%%\n${flow}`,
    `\n\n${flow}`,
    'stateDiagram-v2\n  a --> b',
    'xychart-beta\n  line [1, 2]',
    'gitGraph:\n  commit',
    'flowchart TD\n  a --- b\n  b -.- c',
  ])
    expect([source, tooMuch(source)]).toEqual([source, false]);
});

test('of what the frame says, only a drawing without programs and of a bounded size is shown', () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>';
  expect(checked({ id: 1, svg, width: 10, height: 20 })).toEqual({
    address: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`,
    width: 10,
    height: 20,
  });
  for (const said of [
    null,
    'x',
    {},
    { svg: null },
    { svg, width: 0, height: 1 },
    { svg, width: 1e9, height: 1 },
    { svg, width: '1', height: 1 },
    { svg, width: Number.NaN, height: 1 },
    { svg: `<div>${svg}</div>`, width: 1, height: 1 },
    ...[
      '<script>1</script>',
      '<svg:script/>',
      '<foreignObject/>',
      '<image href="https://evil.example/x.png"/>',
      '<iframe/>',
      '<use href="#a"/>',
      '<animate/>',
    ].map((part) => ({ svg: `<svg>${part}</svg>`, width: 1, height: 1 })),
    { svg: `<svg>${'x'.repeat(1_000_001)}</svg>`, width: 1, height: 1 },
  ])
    expect(checked(said)).toBeNull();
});
