import fc from 'fast-check';
import type { Token } from 'marked';
import { expect, test } from 'vitest';
import { ANSWER } from '$lib/backend/replay/fixtures';
import { decodeEntities } from './entities';
import { quickest } from './quickest';
import { BlockStream, type Reading } from './stream';

const tokensOf = ({ groups }: Reading): Token[] => groups.flat().map((block) => block.token);
const once = (text: string) => tokensOf(new BlockStream().read(text, true));

function streamed(text: string, cuts: readonly number[]): Reading {
  const stream = new BlockStream();
  for (const cut of cuts) stream.read(text.slice(0, cut), false);
  return stream.read(text, true);
}

const PIECES = [
  'A paragraph with **bold** and `code`.\n\n',
  'Two lines\nof one paragraph\n\n',
  'Title\n=====\n\n',
  '## Heading\n',
  '- one\n- two\n\n  more of two\n- three\n\n',
  '1. first\n2. second\n   - nested\n\n',
  '```rust\nfn main() {\n\n    // - no list\n}\n```\n',
  '~~~\n``` inside\n~~~\n\n',
  '> quoted\n> lines\n\n',
  '| a | b |\n| - | - |\n| 1 | 2 |\n\n',
  '---\n\n',
  '<b>html</b> is text\n\n',
  '    indented code\n\n',
  'an [unclosed link\n\n',
  'The sum $a_i * b$ costs $5 and \\(x\\), $$y$$.\n\n',
  '$$\nx = 1\n- y\n$$\n',
  'So\n\\[\n\\frac{a}{b}\n\\]\nand\n\n',
  '$$z$$\n',
  '$$\nno end\n- of it\n\n',
  'A fox[^1] and [^den].\n\n',
  '[^1]: A note\ngoes on\n\n    and on\n\n',
  '[^den]: Another\n- a list\n\n',
];
const document = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 12 }).map((pieces) => pieces.join(''));

test('T5: however a text is cut, the blocks are the same', () => {
  const cutUp = document.chain((text) =>
    fc.tuple(
      fc.constant(text),
      fc
        .array(fc.integer({ min: 0, max: text.length }), { maxLength: 60 })
        .map((cuts) => cuts.toSorted((a, b) => a - b)),
    ),
  );
  fc.assert(
    fc.property(cutUp, ([text, cuts]) => {
      expect(tokensOf(streamed(text, cuts))).toEqual(once(text));
    }),
    { numRuns: 500 },
  );
});

test('T5: character by character gives the blocks of the whole answer', () => {
  const cuts = Array.from({ length: ANSWER.length }, (_, index) => index);
  expect(tokensOf(streamed(ANSWER, cuts))).toEqual(once(ANSWER));
  expect(once(ANSWER).map((token) => token.type)).toEqual(['paragraph', 'list', 'code', 'table', 'paragraph']);
});

test('T5: however a text is cut, its footnotes are the same', () => {
  const text =
    'One[^b], two[^a], none[^c].\n\n- three[^a]\n\n[^a]: First *said*.\n[^b]: Second.\n\n    More of it.\n\nAfter.\n\n[^d]: Nobody asks.\n[^a]: Said again.\n';
  const told = ({ notes }: Reading) =>
    notes.all.map(({ label, number, marked, tokens }) => [
      label,
      number,
      marked,
      tokens.map(({ raw }) => raw.trim()).join('|'),
    ]);
  const whole = new BlockStream().read(text, true);
  expect(told(whole)).toEqual([
    ['b', 1, true, 'Second.||More of it.'],
    ['a', 2, true, 'First *said*.'],
    ['d', 3, false, 'Nobody asks.'],
    ['a', 4, false, 'Said again.'],
  ]);
  expect(['a', 'b', 'c', 'd'].map((label) => whole.notes.numberOf(label))).toEqual([2, 1, null, null]);
  for (let cut = 0; cut < text.length; cut++) expect(told(streamed(text, [cut]))).toEqual(told(whole));
});

test('a mark has its number at once, and keeps it; without a note it is text in the end', () => {
  const stream = new BlockStream();
  const early = stream.read('One[^b] and', false).notes;
  expect([early.numberOf('b'), early.has('b')]).toEqual([1, false]);
  const more = stream.read('One[^b] and two[^a].\n\n[^b]: said', false).notes;
  expect([more.numberOf('b'), more.has('b'), more.numberOf('a'), more.has('a')]).toEqual([1, true, 2, false]);
  const end = stream.read('One[^b] and two[^a].\n\n[^b]: said', true).notes;
  expect([end.numberOf('b'), end.numberOf('a')]).toEqual([1, null]);
});

test('what a footnote says stands at the end, and never in the text', () => {
  const reading = new BlockStream().read('One[^1].\n\n[^1]: Said.\n', false);
  expect(reading.open).toEqual({ kind: 'tokens', tokens: [] });
  expect(tokensOf(new BlockStream().read('One[^1].\n\n[^1]: Said.\n', true)).map(({ type }) => type)).toEqual([
    'paragraph',
  ]);
});

test('notes in notes, and marks without end, are text and cost little', () => {
  for (const text of [
    '[^a]: '.repeat(5_000),
    '[^'.repeat(20_000),
    '[^a]'.repeat(20_000),
    `${'[^a]: x\n'.repeat(5_000)}`,
  ]) {
    const stream = new BlockStream();
    expect(stream.read(text, true).notes.all.length).toBeLessThan(501);
    expect(stream.lexed).toBeLessThan(30 * text.length);
  }
});

test('a formula whose end has not come is text as it was written', () => {
  const open = (text: string) => {
    const reading = new BlockStream().read(text, false).open;
    return reading.kind === 'tokens'
      ? reading.tokens.map((token) => [token.type, 'whole' in token ? token['whole'] : null])
      : [];
  };
  expect(open('$$\nx^2')).toEqual([['math', false]]);
  expect(open('$$\nx^2\n$$')).toEqual([['math', true]]);
  expect(open('$$\nx^2\n\n')).toMatchObject([['math', false]]);
});

test('a finished block is never parsed again: the last of three hundred costs what the first did', () => {
  const paragraph = 'A fox that **plans** its route reads the wind first.\n\n';
  const stream = new BlockStream();
  let text = '';
  const costs = Array.from({ length: 300 }, () => {
    const before = stream.lexed;
    for (const character of paragraph) stream.read((text += character), false);
    return stream.lexed - before;
  });
  expect(costs.at(-1)).toBe(costs[1]);
  expect(stream.lexed).toBeLessThan(4 * text.length);
});

test('finished blocks keep their identity, and full groups keep theirs', () => {
  const stream = new BlockStream();
  const text = 'one\n\n'.repeat(60);
  const early = stream.read(text, false);
  const late = stream.read(`${text}two\n\nthree`, false);
  expect(late.groups[0]).toBe(early.groups[0]);
  expect(late.groups[1]).toBe(early.groups[1]);
});

test('open code is never parsed, only appended to', () => {
  const stream = new BlockStream();
  stream.read('```js\n', false);
  const before = stream.lexed;
  const reading = stream.read(`\`\`\`js\n${'const a = 1;\n'.repeat(5_000)}`, false);
  expect(stream.lexed).toBe(before);
  expect(reading.open.kind === 'code' && reading.open.sealed.join('') + reading.open.last).toBe(
    'const a = 1;\n'.repeat(5_000),
  );
});

test('however long a line of open code grows, little of it is open, and nothing of it is lost', () => {
  const line = `  ${'x🦊'.repeat(60_000)}`;
  const text = ` ~~~\n${line}\n ~~~ \nAfter it.\n`;
  const stream = new BlockStream();
  let longest = 0;
  for (let at = 0; at < line.length; at += 150) {
    const { open } = stream.read(text.slice(0, at), false);
    if (open.kind !== 'code') continue;
    longest = Math.max(longest, open.last.length);
    expect(open.sealed.some((piece) => /\p{Cs}/u.test(piece))).toBe(false);
  }
  expect(longest).toBeLessThan(5_000);
  const tokens = tokensOf(stream.read(text, true));
  expect(tokens.map((token) => [token.type, 'text' in token && token.text])).toEqual([
    ['code', line.slice(1)],
    ['paragraph', 'After it.'],
  ]);
  expect(tokens).toEqual(once(text));
});

test.each([
  ['a paragraph without an end', 'word '.repeat(20_000)],
  ['a line without a space', 'x'.repeat(100_000)],
  ['a list without an end', '- item with **some** text\n'.repeat(4_000)],
  ['a table without an end', `| a | b |\n| - | - |\n${'| 1 | 2 |\n'.repeat(8_000)}`],
  ['a fence in a list item', `- code:\n  \`\`\`rust\n${'  let a = 1;\n'.repeat(8_000)}`],
  ['emphasis that never closes', '**a '.repeat(30_000)],
  ['quotes in quotes', '> '.repeat(20_000)],
  ['bullets in bullets', '- '.repeat(20_000)],
  ['brackets in brackets', '['.repeat(50_000)],
  ['signs of dollars', '$a '.repeat(30_000)],
  ['formulas in lines without an end', `$$\n${'x + y\n'.repeat(15_000)}`],
  ['formulas that never close', '\\(a '.repeat(20_000)],
])('%s keeps the open block small and costs no more than a few passes', (_name, text) => {
  const stream = new BlockStream();
  let longest = 0;
  for (let at = 0; at < text.length; at += 400) {
    const { open } = stream.read(text.slice(0, at), false);
    if (open.kind === 'tokens')
      longest = Math.max(
        longest,
        open.tokens.reduce((sum, token) => sum + token.raw.length, 0),
      );
  }
  stream.read(text, true);
  expect(longest).toBeLessThan(6_500);
  expect(stream.lexed).toBeLessThan(30 * text.length);
});

test('a fence in a list item that was split still ends where it ends', () => {
  const text = `- code:\n  \`\`\`rust\n${'  let a = 1;\n'.repeat(1_000)}  \`\`\`\n\nAfter it.\n`;
  const tokens = tokensOf(streamed(text, [100, 9_000]));
  expect(tokens.at(-1)).toMatchObject({ type: 'paragraph', text: 'After it.' });
});

test('half a table is shown as a table and half a link as its text', () => {
  const open = (text: string) => {
    const reading = new BlockStream().read(text, false).open;
    return reading.kind === 'tokens' ? reading.tokens.map((token) => token.type) : reading.kind;
  };
  expect([open('| a | b'), open('| a | b |\n'), open('| a | b |\n| --'), open('text **bo')]).toEqual([
    ['table'],
    ['table'],
    ['table'],
    ['paragraph'],
  ]);
});

test('what a definition says does not vanish, and a paragraph never becomes a heading behind the reader', () => {
  expect(once('[a]: https://example.org\n\nTitle\n===\n').map((token) => [token.type, token.raw.trim()])).toEqual([
    ['paragraph', '[a]: https://example.org'],
    ['paragraph', 'Title\n==='],
  ]);
});

test('text that comes after the end, from a filled gap, joins the block it belongs to', () => {
  const stream = new BlockStream();
  stream.read('one tw', true);
  expect(tokensOf(stream.read('one two\n\nthree', true))).toEqual(once('one two\n\nthree'));
});

test('line ends of Windows are line ends', () => {
  expect(once('a\r\n\r\n- b\r\n')).toEqual(once('a\n\n- b\n'));
});

test('character references become characters, and what is none stays', () => {
  expect(decodeEntities('a &amp;&lt;b&gt; &#233;&#x1F98A; &unknown; &#xD800; &#99999999;')).toBe(
    'a &<b> é🦊 &unknown; &#xD800; &#99999999;',
  );
});

// Quadratic in the library: a text of this length took up to 16 s.
const SIGNS = [
  '$',
  '*',
  '_',
  '~',
  '`',
  '[',
  '![',
  '<',
  '\\',
  '|',
  '>',
  '#',
  '&',
  'a*',
  '_a',
  '$a ',
  '$$ ',
  '**a ',
  '[a](',
  '[^',
  '* ',
  'http://',
];

test.each(SIGNS)('196 KB of %s cost next to nothing, at once and while they come, and none is lost', (sign) => {
  const text = sign.repeat(196_000 / sign.length);
  expect(quickest(() => void once(text))).toBeLessThan(1_000);
  const stream = new BlockStream();
  stream.read(text.slice(0, 5_000), false);
  // The least of what a frame costs while the open block is as long as it may be.
  let at = 5_000;
  expect(quickest(() => void stream.read(text.slice(0, (at += 100)), false))).toBeLessThan(40);
});

test('a run of signs of dollars is a text as it was written', () => {
  expect(once('$'.repeat(5_000)).map(({ type, raw }) => [type, raw])).toEqual([['paragraph', '$'.repeat(5_000)]]);
});
