import fc from 'fast-check';
import { expect, test } from 'vitest';
import { completed, named, typedAt } from './mention';

const filter = (text: string, caret = text.length) => typedAt(text, caret)?.filter ?? null;

test('a name is typed from an at sign to the caret, at the beginning of a word', () => {
  expect(filter('@')).toBe('');
  expect(filter('look at @src/ma')).toBe('src/ma');
  expect(filter('look (@src')).toBe('src');
  expect(filter('look at @src/main.rs please', 13)).toBe('src/');
  expect(filter('@a b')).toBeNull();
  expect(filter('me@example.org')).toBeNull();
  expect(filter('nothing')).toBeNull();
});

test('a quoted name may hold spaces, and ends with its quote', () => {
  expect(filter('see @"my no')).toBe('my no');
  expect(filter('see @"a \\"b\\" c')).toBe('a "b" c');
  expect(filter('see @"my notes.txt"')).toBeNull();
});

test('lines after a name are not looked for', () => {
  expect(filter('@a.rs:')).toBeNull();
  expect(filter('@a.rs:10-4')).toBeNull();
});

test('a name with spaces, quotes or a mark at its end is quoted', () => {
  expect(named('src/main.rs')).toBe('@src/main.rs');
  expect(named('my notes.txt')).toBe('@"my notes.txt"');
  expect(named('a "b".txt')).toBe('@"a \\"b\\".txt"');
  expect(named('what?')).toBe('@"what?"');
  expect(named('a:10')).toBe('@"a:10"');
});

test('a file takes the place of the whole word, and a folder is typed on', () => {
  const at = (text: string, caret: number) => typedAt(text, caret)!;
  expect(completed('see @ma', at('see @ma', 7), 'src/main.rs', false)).toEqual({
    text: 'see @src/main.rs ',
    caret: 17,
  });
  expect(completed('see @main now', at('see @main now', 6), 'src/main.rs', false)).toEqual({
    text: 'see @src/main.rs now',
    caret: 16,
  });
  expect(completed('see @s', at('see @s', 6), 'src', true)).toEqual({ text: 'see @src/', caret: 9 });
  const folder = completed('@m', at('@m', 2), 'my files', true);
  expect(folder).toEqual({ text: '@"my files/', caret: 11 });
  expect(typedAt(folder.text, folder.caret)?.filter).toBe('my files/');
});

test('whatever a file is called, its name is typed on as it was completed', () => {
  fc.assert(
    fc.property(
      fc.string().filter((path) => path !== '' && !/[\n\r]/u.test(path)),
      (path) => {
        const { text, caret } = completed('@', { from: 0, to: 1, filter: '' }, path, true);
        const typed = typedAt(text, caret);
        // A path with an `@` after a space begins another name there.
        if (!path.includes('@') && !/^"/u.test(path)) expect(typed?.filter).toBe(`${path}/`);
      },
    ),
  );
});
