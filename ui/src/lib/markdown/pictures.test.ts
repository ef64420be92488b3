import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PictureView } from '$lib/generated/PictureView';
import { dataOf, pathOf } from './pictures';

test.each([
  ['docs/den.png', 'docs/den.png'],
  ['./docs/den.png', 'docs/den.png'],
  ['a%20b.png', 'a b.png'],
  ['../outside.png', '../outside.png'],
])('%s names %s in the project', (address, path) => {
  expect(pathOf(address)).toBe(path);
});

test.each([
  'https://evil.example/x.png',
  'HTTP://evil.example',
  '//evil.example/x.png',
  '/etc/passwd.png',
  '\\\\evil\\x.png',
  'data:image/svg+xml,<svg/>',
  'javascript:1',
  'file:///x.png',
  'blob:x',
  'C:/x.png',
  '#a',
  '?a',
  '',
  '%',
  'a%00.png',
  'a\n.png',
  'x'.repeat(401),
])('%j names no file of the project', (address) => {
  expect(pathOf(address)).toBeNull();
});

test('whatever an address is, what is asked for has no scheme and no host', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 30 }), (address) => {
      const path = pathOf(address);
      expect(path === null || !/^(?:[a-z][a-z\d+.-]*:|[/\\])/i.test(address)).toBe(true);
    }),
  );
});

test('only a picture becomes an address of a picture', () => {
  const picture: PictureView = { path: 'a.png', kind: 'image/png', bytes: 3, width: 1, height: 1, data: 'AAAA' };
  expect(dataOf(picture)).toBe('data:image/png;base64,AAAA');
  expect(dataOf({ ...picture, kind: 'image/svg+xml' as PictureView['kind'] })).toBe('');
  expect(dataOf({ ...picture, data: 'AAAA"><script>' })).toBe('');
});
