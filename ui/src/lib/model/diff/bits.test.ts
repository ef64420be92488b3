import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Mark } from '$lib/generated/Mark';
import { bitsOf, keysOf } from './bits';
import { words } from '$lib/words';
import { formatWords, nothingShown, seamWords, signLabel, signMeaning } from './words';

const kinds = fc.constantFrom('changed', 'direction', 'invisible', 'control', 'replacement', 'seam' as const);
const marks: fc.Arbitrary<Mark[]> = fc.array(
  fc.record({
    from: fc.integer({ min: -3, max: 30 }),
    to: fc.integer({ min: -3, max: 30 }),
    kind: kinds,
  }),
  { maxLength: 8 },
);

test('the bits of a line are the line, whatever is marked and coloured', () => {
  fc.assert(
    fc.property(
      fc.string({ maxLength: 24 }),
      marks,
      fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 8 }),
      (text, marked, widths) => {
        let at = 0;
        const spans = [...widths.map((width) => text.slice(at, (at += width))), text.slice(at)].map((part, index) => ({
          text: part,
          color: `c${index}`,
        }));
        const bits = bitsOf(text, marked, spans);
        expect(bits.map((bit) => bit.text).join('')).toBe(text);
        expect(
          bitsOf(text, marked, null)
            .map((bit) => bit.text)
            .join(''),
        ).toBe(text);
      },
    ),
  );
});

test('words that changed keep their colours, and a character that hides becomes a sign', () => {
  const bits = bitsOf(
    'let \u202ename',
    [
      { from: 4, to: 9, kind: 'changed' },
      { from: 4, to: 5, kind: 'direction' },
    ],
    [
      { text: 'let', color: 'k' },
      { text: ' \u202ename', color: undefined },
    ],
  );
  expect(bits).toEqual([
    { text: 'let', color: 'k', changed: false, sign: null },
    { text: ' ', color: undefined, changed: false, sign: null },
    { text: '\u202e', color: undefined, changed: true, sign: 'direction' },
    { text: 'name', color: undefined, changed: true, sign: null },
  ]);
});

test('colours of another text are not used', () => {
  expect(bitsOf('ab', [], [{ text: 'abc', color: 'k' }])).toEqual([
    { text: 'ab', color: undefined, changed: false, sign: null },
  ]);
});

test('several hidden characters in a row are one sign, and a seam is a place', () => {
  const invisible = (from: number): Mark => ({ from, to: from + 1, kind: 'invisible' });
  const bits = bitsOf(
    'a\u200b\u200b\u200bb',
    [invisible(1), invisible(2), invisible(3), { from: 0, to: 0, kind: 'seam' }],
    null,
  );
  expect(bits.map((bit) => (bit.sign === null ? bit.text : signLabel(bit)))).toEqual(['seam', 'a', 'U+200B ×3', 'b']);
  expect(bits.map(signMeaning)).toEqual([
    'One message of the model ended here and the next one began. Check that they fit together.',
    '',
    'U+200B ×3 is an invisible character in the file.',
    '',
  ]);
});

test('what deceives behind the end of a shown line is a place there, with a word of its own', () => {
  const place = (kind: Mark['kind']): Mark => ({ from: 2, to: 2, kind });
  const bits = bitsOf('ab', [place('direction'), place('control'), place('seam'), place('changed')], null);
  expect(bits.map((bit) => (bit.sign === null ? bit.text : signLabel(bit)))).toEqual([
    'ab',
    'direction',
    'control',
    'seam',
  ]);
  expect(bits.map(signMeaning).slice(1, 3)).toEqual([
    'In the rest of the line, which is not shown, a character changes the direction of the text.',
    'In the rest of the line, which is not shown, there is a control character.',
  ]);
});

test('W6: a proposal without a line says what it does all the same', () => {
  const said = [
    { baseSha256: null, bytes: 0 },
    { baseSha256: 'b', bytes: 0 },
    { baseSha256: 'b', bytes: 2 },
  ].map(nothingShown);
  expect(said).toEqual(['This makes an empty file.', 'The file would be emptied.', 'The file would not change.']);
  expect(words.findings.replaced(3_402)).toBe('This replaces a binary file of 3.4 KB, which cannot be shown.');
});

test('only an unusual encoding or line end is worth a word', () => {
  expect(
    [
      ['UTF-8', 'LF'],
      ['UTF-8', 'none'],
      ['UTF-16LE with BOM', 'CRLF'],
      ['UTF-8', 'mixed'],
    ].map(([encoding = '', lineEnds = '']) => formatWords({ encoding, lineEnds })),
  ).toEqual(['', '', 'UTF-16LE with BOM, CRLF line ends', 'mixed line ends']);
});

test('W4: seams say how many messages there were and what was repeated', () => {
  expect(seamWords({ seams: [{ offset: 1, line: 1, dropped: 48 }] } as never)).toBe(
    'The model sent this in 2 messages; 48 B that it repeated were left out. The seam is marked.',
  );
  expect(
    seamWords({
      seams: [
        { offset: 1, line: 1, dropped: 0 },
        { offset: 9, line: 2, dropped: 0 },
      ],
    } as never),
  ).toBe('The model sent this in 3 messages. The seams are marked.');
});

test('a sign keeps its name when colours come, and no two bits have one name', () => {
  const direction = (from: number): Mark => ({ from, to: from + 1, kind: 'direction' });
  const text = 'let a = "\u202eb" + "\u202ec";';
  const signs = (colours: { text: string; color: string }[] | null) => {
    const bits = bitsOf(text, [direction(9), direction(16)], colours);
    const keys = keysOf(bits);
    expect(new Set(keys).size).toBe(keys.length);
    return keys.filter((_, index) => bits[index]?.sign !== null);
  };
  const colours = [
    { text: text.slice(0, 4), color: 'red' },
    { text: text.slice(4), color: 'blue' },
  ];
  expect(signs(colours)).toEqual(signs(null));
  const seam: Mark = { from: 3, to: 3, kind: 'seam' };
  expect(new Set(keysOf(bitsOf(text, [seam, seam], null))).size).toBe(4);
});

test('a change of one line names that line', () => {
  expect([words.hunk.lines(7, 7), words.hunk.lines(1_234, 1_240)]).toEqual(['line 7', 'lines 1,234–1,240']);
});
