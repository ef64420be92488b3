import fc from 'fast-check';
import { expect, test } from 'vitest';
import { afterBytes, utf8Length } from './utf8';

const text = fc.string({ unit: 'grapheme' });

test('the length is that of the encoded text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (any) => {
      expect(utf8Length(any)).toBe(new TextEncoder().encode(any).length);
    }),
  );
});

test('what follows the bytes of a prefix is the rest of the text', () => {
  fc.assert(
    fc.property(text, text, (head, tail) => {
      expect(afterBytes(head + tail, utf8Length(head))).toBe(tail);
    }),
  );
});
