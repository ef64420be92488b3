import fc from 'fast-check';
import { expect, test } from 'vitest';
import { piecesOf } from './excerpt';

test('bytes of UTF-8 mark whole characters', () => {
  expect(
    piecesOf('Größe und Fuchs 🦊.', [
      { from: 0, to: 7 },
      { from: 18, to: 22 },
    ]),
  ).toEqual([
    { text: 'Größe', marked: true },
    { text: ' und Fuchs ', marked: false },
    { text: '🦊', marked: true },
    { text: '.', marked: false },
  ]);
});

test('a character that hides or turns the text is told by its number', () => {
  expect(piecesOf('a\u202eb', [{ from: 0, to: 1 }])).toEqual([
    { text: 'a', marked: true },
    { text: '⟨U+202E⟩b', marked: false },
  ]);
});

test('the marks of strong text and code are left out of an answer, and stars of a pattern stay', () => {
  const words = (text: string, markdown: boolean) =>
    piecesOf(text, [], markdown)
      .map((piece) => piece.text)
      .join('');
  expect(words('**Three** of `a` in src/**/*.rs', true)).toBe('Three of a in src/**/*.rs');
  expect(words('**Three** of `a`', false)).toBe('**Three** of `a`');
});

test('whatever the ranges are, nothing of the text is lost or comes twice', () => {
  const range = fc.record({ from: fc.integer({ min: -5, max: 60 }), to: fc.integer({ min: -5, max: 60 }) });
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z ]*$/), fc.array(range), (text, marks) => {
      expect(
        piecesOf(text, marks)
          .map((piece) => piece.text)
          .join(''),
      ).toBe(text);
    }),
  );
});
