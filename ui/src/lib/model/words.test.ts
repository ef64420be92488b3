import { expect, test } from 'vitest';
import { numbered } from './numbered';
import { bytes, count, duration, mainArgument } from './words';

test('durations read as a person would say them', () => {
  expect([0, 4, 999, 1_000, 1_240, 2_000, 48_300, 59_600, 180_000, 7_200_000].map(duration)).toEqual([
    '0 ms',
    '4 ms',
    '999 ms',
    '1 s',
    '1.2 s',
    '2 s',
    '48 s',
    '1 min',
    '3 min',
    '2 h',
  ]);
});

test('sizes read as a person would say them', () => {
  expect([0, 212, 4_200, 99_960, 1_300_000, 2_000_000_000].map(bytes)).toEqual([
    '0 B',
    '212 B',
    '4.2 KB',
    '100 KB',
    '1.3 MB',
    '2.0 GB',
  ]);
});

test('one is singular and thousands are grouped', () => {
  expect([count(1, 'line'), count(0, 'line'), count(1_240, 'entry', 'entries')]).toEqual([
    '1 line',
    '0 lines',
    '1,240 entries',
  ]);
});

test('the argument that matters is the path, else the pattern, else the first short one', () => {
  expect(mainArgument({ max_lines: 10, path: 'src/a.rs' })).toBe('src/a.rs');
  expect(mainArgument({ glob: '*.rs', pattern: 'fn main' })).toBe('fn main');
  expect(mainArgument({ path: 'src', pattern: 'fn main' })).toBe('fn main');
  expect([mainArgument({ path: '.', pattern: 'fn main' }), mainArgument({ path: '.', depth: 3 })]).toEqual([
    'fn main',
    '.',
  ]);
  expect(mainArgument({ deep: { path: 'x' }, depth: 3 })).toBe('3');
  expect([mainArgument({}), mainArgument(null), mainArgument(['path'])]).toEqual(['', '', '']);
});

test("lines that bring the file's own numbers keep them, others are counted", () => {
  expect(numbered('a.rs: lines 7-8 of 9\n7\tfn main() {\n8\t}\n')).toEqual({
    numbers: ' \n7\n8',
    lines: 'a.rs: lines 7-8 of 9\nfn main() {\n}',
  });
  expect(numbered('src/\nREADME.md')).toEqual({ numbers: '1\n2', lines: 'src/\nREADME.md' });
});
