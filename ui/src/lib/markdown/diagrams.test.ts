import { expect, test } from 'vitest';
import { checked, tooMuch } from './diagrams';

test('a source that is too large or too deep never reaches the library, and is known in no time', () => {
  const before = performance.now();
  for (const source of [
    `flowchart LR\n  a["${'x'.repeat(1_000_000)}"]`,
    `flowchart LR\n${'subgraph s\n'.repeat(10_000)}${'end\n'.repeat(10_000)}`,
    `flowchart LR\n${'subgraph s\n'.repeat(21)}${'end\n'.repeat(21)}`,
    `flowchart LR\n  a${'['.repeat(10_000)}`,
    `flowchart LR\n  a${'['.repeat(21)}`,
    `mindmap\n${Array.from({ length: 100 }, (_, index) => `${' '.repeat(index)}n`).join('\n')}`,
    'a\n'.repeat(201),
  ]) expect(tooMuch(source)).toBe(true);
  expect(performance.now() - before).toBeLessThan(1_000);
  expect(tooMuch('flowchart LR\n  a[One] --> b{{Two}}\n  subgraph s\n    c\n  end')).toBe(false);
});

test('of what the frame says, only a drawing without programs and of a bounded size is shown', () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>';
  expect(checked({ id: 1, svg, width: 10, height: 20 })).toEqual({ address: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`, width: 10, height: 20 });
  for (const said of [
    null, 'x', {}, { svg: null }, { svg, width: 0, height: 1 }, { svg, width: 1e9, height: 1 }, { svg, width: '1', height: 1 }, { svg, width: Number.NaN, height: 1 }, { svg: `<div>${svg}</div>`, width: 1, height: 1 },
    ...['<script>1</script>', '<svg:script/>', '<foreignObject/>', '<image href="https://evil.example/x.png"/>', '<iframe/>', '<use href="#a"/>', '<animate/>'].map((part) => ({ svg: `<svg>${part}</svg>`, width: 1, height: 1 })),
    { svg: `<svg>${'x'.repeat(1_000_001)}</svg>`, width: 1, height: 1 },
  ]) expect(checked(said)).toBeNull();
});
