import fc from 'fast-check';
import { expect, test } from 'vitest';
import { repeatsOf } from './repeats';

test('P11: what is folded is all but the first of the repeats', () => {
  const line = '  background-color: #fff;\n';
  expect(repeatsOf(`Sure:\n${line.repeat(195)}`)).toEqual({ once: 'Sure:\n  background-color: #fff;', again: 194 });
  expect(repeatsOf(`${'日本'.repeat(683)}`)).toEqual({ once: '日本', again: 682 });
  // "é" and "ũ" end with the same byte, so that these repeats begin in the middle of a character.
  expect(repeatsOf(`é${'abcdũ'.repeat(800)}`)).toEqual({ once: 'éabcdũ', again: 799 });
  expect(repeatsOf('x'.repeat(16_384))).toEqual({ once: 'x', again: 16_383 });
});

test('a text that does not repeat itself is not folded', () => {
  const lines = Array.from({ length: 500 }, (_, number) => `Line ${number}.\n`).join('');
  const long = lines.slice(0, 2000);
  for (const text of [
    '',
    'x'.repeat(4_095),
    lines,
    lines + lines,
    long.repeat(5),
    `${'x'.repeat(9_000)}\n${lines}`,
    lines.slice(0, 2_049).repeat(8),
  ]) {
    expect(repeatsOf(text)).toBeNull();
  }
});

test('whatever a text is made of, its first part begins it, and the rest is the same over and over', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 30 }),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }),
      (before, stretch) => {
        const text = before + stretch.repeat(5_000);
        const repeats = repeatsOf(text);
        expect(repeats).not.toBeNull();
        expect(text.startsWith(repeats?.once ?? '?')).toBe(true);
        expect(repeats?.once.length).toBeLessThanOrEqual((before + stretch).length + 1);
      },
    ),
    { numRuns: 100 },
  );
});
