import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pieces, placeOf } from './paths';
import { quickest } from './quickest';

test.each([
  ['src/lib.rs', { path: 'src/lib.rs', line: null }],
  ['./src/lib.rs:12', { path: './src/lib.rs', line: 12 }],
  ['lib.rs:12:3', { path: 'lib.rs', line: 12 }],
  ['lib.rs:12-20', { path: 'lib.rs', line: 12 }],
  ['lib.rs#L7-L9', { path: 'lib.rs', line: 7 }],
  ['docs/Über uns.md', null],
  ['docs/Über.md', { path: 'docs/Über.md', line: null }],
  ['.gitignore', { path: '.gitignore', line: null }],
  ['src/main', { path: 'src/main', line: null }],
])('%s names %j', (text, place) => {
  expect(placeOf(text)).toEqual(place);
});

test.each([
  'main',
  '1.5',
  '3/4',
  'std::fs::read',
  'a.b()',
  'https://example.org/a.rs',
  '--flag.x',
  'src/',
  'a = b.c',
  `${'a/'.repeat(400)}b.rs`,
])('%s names no place', (text) => {
  expect(placeOf(text)).toBeNull();
});

test('places in running text', () => {
  const places = (text: string) => pieces(text).flatMap(({ place }) => (place ? [place] : []));
  expect(places('See src/lib.rs:7, docs/a.md and (ui/App.svelte).')).toEqual([
    { path: 'src/lib.rs', line: 7 },
    { path: 'docs/a.md', line: null },
    { path: 'ui/App.svelte', line: null },
  ]);
  expect(places('either/or, 1/2, fox@example.org, this, and/or that')).toEqual([]);
});

test('the pieces together are the text, whatever it is', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', '/', '.', 'rs', ':', '1', ' ', '@', '-', '#L2', '\n', '🦊') }),
      (text) => {
        expect(
          pieces(text)
            .map((piece) => piece.text)
            .join(''),
        ).toBe(text);
      },
    ),
  );
});

test.each(['a', 'a/', 'a.', 'a.a/', './', 'a-a.'])('a megabyte of %s is searched at its beginning alone', (unit) => {
  const text = unit.repeat(1_000_000 / unit.length);
  expect(
    pieces(text)
      .map((piece) => piece.text)
      .join(''),
  ).toBe(text);
});

test('a text without a space is searched once, whatever signs are in it', () => {
  const took = quickest(() =>
    ['+', 'x+', 'x-', 'x.', '+.', 'x/', '+/', 'a@', '@', '-', './', '(', 'x(', ':1', '+a.b/'].forEach((sign) =>
      pieces(sign.repeat(20_000 / sign.length)),
    ),
  );
  expect(took).toBeLessThan(200);
});
