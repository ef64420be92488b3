import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bareAddress, openable } from './address';
import { claimsAnother } from './claims';

test.each([
  ['https://example.org', 'https://example.org/'],
  ['http://[::1]:8080/a b', 'http://[::1]:8080/a%20b'],
  ['mailto:fox@example.org', 'mailto:fox@example.org'],
  ['https://раypal.com/', 'https://xn--ypal-43d9g.com/'],
  [
    'mailto:a@b.org?Subject=Hi&body=1%0D%0A2&cc=c@d.org&bcc=e@f.org',
    'mailto:a@b.org?Subject=Hi&body=1%0D%0A2&cc=c@d.org&bcc=e@f.org',
  ],
  ['mailto:a@b.org?subject=Hi&attach=/etc/passwd&to=x@y.org&%61ttach=x', 'mailto:a@b.org?subject=Hi'],
  ['mailto:a@b.org?attachment=/etc/passwd#x', 'mailto:a@b.org'],
  ['mailto:a@b.org&attach=/etc/passwd', 'mailto:a@b.org'],
  ['mailto:a@b.org?subject=a%0d%0aBcc:x@y.org&body=b', 'mailto:a@b.org?body=b'],
])('%s is opened as %s', (address, opened) => {
  expect(openable(address)).toBe(opened);
});

test.each([
  '',
  'a',
  '/etc/passwd',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  ' data:text/html,x',
  'vscode://file/x',
  'https://example.org@evil.example/',
  'https://a:b@example.org/',
  'mailto:a%0Abcc:x@y.org',
  `https://example.org/${'a'.repeat(9_000)}`,
])('%s is not opened', (address) => {
  expect(openable(address)).toBeNull();
});

test.each([
  ['https://example.org.', 'https://example.org'],
  ['https://example.org/a_(b)).', 'https://example.org/a_(b)'],
  ['https://example.org/a?b=c&d=e#f, and', 'https://example.org/a?b=c&d=e#f'],
  ['https://example.org** and', 'https://example.org'],
  ['https://example.org”', 'https://example.org”'],
])('%s begins with the address %s', (text, address) => {
  expect(bareAddress(text)).toBe(address);
});

test('whatever the text, what is taken for an address is its beginning and can be opened', () => {
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.constantFrom('https://', 'http:', '//', 'a', '.', '(', ')', '@', '\u202e', ' ', '<', '\n', '_'),
      }),
      (text) => {
        const address = bareAddress(text);
        if (address === null) return;
        expect(text.startsWith(address)).toBe(true);
        expect(openable(address)).not.toBeNull();
        expect(address).not.toMatch(/[\s\u202e]/);
      },
    ),
  );
});

test('no text and no address throws, whatever they are', () => {
  const parts = fc.constantFrom(
    'https://',
    'mailto:',
    'a.b',
    '%',
    '%ff',
    '%00',
    '@',
    ':',
    '/',
    '?',
    '#',
    '[',
    ']',
    '\ud800',
    '\u202e',
    ' ',
    '\\',
    '999999',
    'xn--',
    '::1',
  );
  const any = fc.oneof(
    fc.string({ unit: parts, maxLength: 12 }),
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.webUrl(),
  );
  fc.assert(
    fc.property(any, any, (text, address) => {
      claimsAnother(text, address);
      claimsAnother(text, openable(address) ?? 'mailto:%');
      bareAddress(text);
    }),
    { numRuns: 10_000 },
  );
});

test('a long text costs no more than its beginning', () => {
  expect(bareAddress(`https://example.org/${'('.repeat(1_000_000)}`)?.length).toBeLessThan(3_000);
});
