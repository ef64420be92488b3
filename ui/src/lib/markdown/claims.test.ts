import type { Tokens } from 'marked';
import { expect, test } from 'vitest';
import { claimsAnother } from './claims';
import { dialect } from './dialect';
import { quickest } from './quickest';
import { seenText } from './seen';

/** Texts that look like another address than the one behind them, to a person. */
const LOOKALIKES: [text: string, address: string][] = [
  ['https://bank.example', 'https://evil.example/'],
  ['bank.example', 'https://evil.example/bank.example'],
  ['https://docs.rs/a', 'https://docs.rs/b'],
  ['bank.example/login', 'https://bank.example/logout'],
  ['HTTPS://BANK.EXAMPLE', 'https://evil.example/'],
  ['www.bank.example', 'https://evil.example/'],
  ['bank.example:8443', 'https://bank.example/'],
  ['http://localhost', 'https://evil.example/'],
  ['localhost:8080', 'https://evil.example/'],
  ['127.0.0.1', 'https://evil.example/'],
  ['https://[::1]/', 'https://evil.example/'],
  ['https://bank.example', 'http://bank.example/'],
  // Around it.
  ['(https://bank.example)', 'https://evil.example/'],
  ['<bank.example>', 'https://evil.example/'],
  ['\u201cbank.example\u201d', 'https://evil.example/'],
  ['bank.example.', 'https://evil.example/'],
  ['bank.example!', 'https://evil.example/'],
  ['\u{1f449} bank.example', 'https://evil.example/'],
  ['\u{1f512}bank.example', 'https://evil.example/'],
  ['Log in at https://bank.example now', 'https://evil.example/'],
  ['Log in at bank.example', 'https://evil.example/'],
  // What is not seen.
  ['ba\u200bnk.example', 'https://evil.example/'],
  ['https\u2060://bank.example', 'https://evil.example/'],
  ['bank.ex\u00adample', 'https://evil.example/'],
  ['\ufeffbank.example', 'https://evil.example/'],
  ['bank\u{e0061}.example', 'https://evil.example/'],
  ['bank\u3164.example', 'https://evil.example/'],
  ['\u202eelpmaxe.knab//:sptth', 'https://evil.example/'],
  ['\u00a0bank.example\u2003', 'https://evil.example/'],
  [`bank.example${' '.repeat(600)}x`, 'https://evil.example/'],
  // Other letters and signs that look the same.
  ['\uff42\uff41\uff4e\uff4b.example', 'https://evil.example/'],
  ['\u{1d41b}\u{1d41a}\u{1d427}\u{1d424}.example', 'https://evil.example/'],
  ['\u24d1\u24d0\u24dd\u24da.example', 'https://evil.example/'],
  ['b\u0430nk.example', 'https://xn--bnk-6cd.example/'],
  ['https://b\u0430nk.example', 'https://xn--bnk-6cd.example/'],
  ['bank\uff0eexample', 'https://evil.example/'],
  ['bank\u3002example', 'https://evil.example/'],
  ['bank\u2024example', 'https://evil.example/'],
  ['bank\u00b7example', 'https://evil.example/'],
  ['https:\u2215\u2215bank.example', 'https://evil.example/'],
  ['https\ua789//bank.example', 'https://evil.example/'],
  ['https:\\\\bank.example', 'https://evil.example/'],
  // As people write it so that it is no link.
  ['bank[.]example', 'https://evil.example/'],
  ['hxxps://bank.example', 'https://evil.example/'],
  ['bank . example', 'https://evil.example/'],
  ['https:// bank.example', 'https://evil.example/'],
  // Behind much that is not seen.
  [`${'\u200b'.repeat(2_000)}bank.example`, 'https://evil.example/'],
  [`a${' '.repeat(2_000)}bank.example`, 'https://evil.example/'],
  [`${'a word '.repeat(300)}bank.example`, 'https://evil.example/'],
  [`${'a word '.repeat(300)}bank\uff0eexample`, 'https://evil.example/'],
  // Beside other text.
  ['Visit:bank.example', 'https://evil.example/'],
  ['Visit:https://bank.example', 'https://evil.example/'],
  ['bank.example\u2014log in', 'https://evil.example/'],
  ['bank.example,click', 'https://evil.example/'],
  ['bank.example|safe', 'https://evil.example/'],
  ['safe(bank.example)', 'https://evil.example/'],
  ['"bank.example"now', 'https://evil.example/'],
  ['now\u2192bank.example', 'https://evil.example/'],
  ['now\u2011bank.example', 'https://evil.example/'],
  ['now!bank.example', 'https://evil.example/'],
  // Mail.
  ['fox@example.org', 'mailto:cat@example.org'],
  ['fox@example.org', 'mailto:arctic-fox@example.org'],
  ['fox@example.org', 'mailto:fox@example.org,cat@example.org'],
  ['fox@example.org', 'mailto:fox@example.org?bcc=cat@example.org'],
  ['fox@example.org', 'https://evil.example/'],
  ['a.bc', 'mailto:%'],
];

test.each(LOOKALIKES)('a link that says %s and leads to %s says another address', (text, address) => {
  expect(claimsAnother(text, address)).toBe(true);
});

test.each([
  ['docs.rs', 'https://docs.rs/tokio'],
  ['https://docs.rs/tokio', 'https://docs.rs/tokio'],
  ['http://docs.rs/tokio', 'https://docs.rs/tokio'],
  ['DOCS.RS.', 'https://docs.rs/tokio'],
  ['docs.rs:443', 'https://docs.rs/tokio'],
  ['See docs.rs/tokio.', 'https://docs.rs/tokio'],
  ['Visit:docs.rs,the documentation', 'https://docs.rs/tokio'],
  ['See https://docs.rs/a_(b)?c=d,e&f now', 'https://docs.rs/a_(b)?c=d,e&f'],
  ['Note:this, that', 'https://docs.rs/tokio'],
  ['(https://docs.rs/tokio)', 'https://docs.rs/tokio'],
  ['http://localhost:8080/a', 'http://localhost:8080/a'],
  ['fox@example.org', 'mailto:fox@example.org'],
  ['Fox@Example.org', 'mailto:fox@example.org?subject=Hi'],
  ['the documentation', 'https://docs.rs/tokio'],
  ['read_file', 'https://docs.rs/tokio'],
  ['Done. Read on', 'https://docs.rs/tokio'],
  ['Version 1.2', 'https://docs.rs/tokio'],
  ['either/or', 'https://docs.rs/tokio'],
  ['12:30', 'https://docs.rs/tokio'],
  ['\u5b8c\u6210\u3002\u67e5\u770b\u6587\u6863', 'https://docs.rs/tokio'],
  ['l\u2019entr\u00e9e\u202f: suite', 'https://docs.rs/tokio'],
  ['\u041f\u0440\u0438\u043c\u0435\u0440. \u0414\u0430\u043b\u0435\u0435', 'https://docs.rs/tokio'],
])('a link that says %s and leads to %s says no other address', (text, address) => {
  expect(claimsAnother(text, address)).toBe(false);
});

test('a long text without a space says an address, and costs nothing', () => {
  const took = quickest(() => {
    for (const text of [`https://bank.example/${'a'.repeat(9_000)}`, 'a.'.repeat(500_000), 'a'.repeat(501)])
      expect(claimsAnother(text, 'https://evil.example/')).toBe(true);
    expect(claimsAnother('a word '.repeat(200), 'https://evil.example/')).toBe(false);
  });
  expect(took).toBeLessThan(100);
});

test.each([
  String.raw`bank\.example`,
  'bank&#46;example',
  'bank&#x2e;example',
  '**bank**.example',
  'ba*n*k.example',
  '~~bank~~.`example`',
  '![bank.example](a.png)',
  String.raw`$\text{bank.example}$`,
  'bank.example<br>now',
])('the link [%s](…) shows its address, whatever Markdown its text is written in', (source) => {
  const [paragraph] = dialect.lexer(`[${source}](https://evil.example/)`);
  const [link] = (paragraph as Tokens.Paragraph).tokens;
  expect(link?.type).toBe('link');
  expect(claimsAnother(seenText((link as Tokens.Link).tokens), 'https://evil.example/')).toBe(true);
});
