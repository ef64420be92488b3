import fc from 'fast-check';
import { expect, test } from 'vitest';
import { named, plain, shortPath } from '../plain';
import { clamp, pan, reveal, zoom } from './view';

test('what is under the pointer stays there while it is looked at closer', () => {
  expect(zoom({ from: 0, to: 100 }, 2, 25, 100)).toEqual({ from: 12.5, to: 62.5 });
  expect(zoom({ from: 12.5, to: 62.5 }, 0.5, 25, 100)).toEqual({ from: 0, to: 100 });
  expect(pan({ from: 0, to: 50 }, -10, 100)).toEqual({ from: 0, to: 50 });
  expect(pan({ from: 0, to: 50 }, 80, 100)).toEqual({ from: 50, to: 100 });
  expect(reveal({ from: 0, to: 10 }, 2, 3, 100)).toEqual({ from: 0, to: 10 });
  expect(reveal({ from: 0, to: 10 }, 50, 52, 100)).toEqual({ from: 43, to: 53 });
});

test('a view never leaves the axis, and is never empty', () => {
  const number = fc.double({ noNaN: true, min: -1e6, max: 1e6 });
  fc.assert(
    fc.property(
      number,
      number,
      fc.double({ noNaN: true, min: 0.001, max: 1e6 }),
      fc.double({ noNaN: true, min: 0.01, max: 100 }),
      (a, b, total, factor) => {
        const view = zoom(clamp({ from: Math.min(a, b), to: Math.max(a, b) }, total), factor, a, total);
        expect(view.from).toBeGreaterThanOrEqual(0);
        expect(view.to).toBeLessThanOrEqual(total * 1.000001);
        expect(view.to).toBeGreaterThan(view.from);
      },
    ),
  );
});

test('what hides, turns or ends a line is told by its number', () => {
  expect(plain('a\u202Eb\u0000c\nd\u200B')).toBe('a⟨U+202E⟩b⟨U+0000⟩c d⟨U+200B⟩');
  expect(plain('x'.repeat(1_000), 5)).toBe('xxxxx…');
  expect(named('a\u00a0b\u2800c\u{e0041}d é漢\u0301')).toBe('a⟨U+00A0⟩b⟨U+2800⟩c⟨U+E0041⟩d é漢\u0301');
  expect([
    shortPath('src/config.rs', 20),
    shortPath('src/very/long/config.rs', 12),
    shortPath('src/an_even_longer_name.rs', 12),
    shortPath('no path, but words', 8),
  ]).toEqual(['src/config.rs', '…g/config.rs', '…ger_name.rs', 'no path…']);
});
