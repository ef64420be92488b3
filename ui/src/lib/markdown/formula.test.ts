import fc from 'fast-check';
import type { Token } from 'marked';
import { expect, test } from 'vitest';
import { dialect, type MathToken } from './dialect';
import { tooMuch } from './math';

/** The formulas of a text, with `!` before those that stand by themselves. */
function formulas(text: string): string[] {
  const found: string[] = [];
  const walk = (tokens: readonly Token[]) => {
    for (const token of tokens) {
      if (token.type === 'math' && (token as unknown as MathToken).whole)
        found.push(`${(token as unknown as MathToken).display ? '!' : ''}${(token as unknown as MathToken).text}`);
      else if ('tokens' in token && token.tokens) walk(token.tokens);
    }
  };
  walk(dialect.lexer(text));
  return found;
}

test.each([
  ['The area is $\\pi r^2$.', ['\\pi r^2']],
  ['For each $n$th of $k$ and $x_i$, $2 \\times 3$ or $5$.', ['n', 'k', 'x_i', '2 \\times 3', '5']],
  ['Inline \\(a_1 * b_2\\) and \\[c\\] and $$d$$.', ['a_1 * b_2', '!c', '!d']],
  ['$5 \\text{ apples}$ and $10^6$ and $3.5x$', ['5 \\text{ apples}', '10^6', '3.5x']],
  ['$a_1$ and *$b_2$* and [$c$](https://example.org)', ['a_1', 'b_2', 'c']],
  ['$$\nx = 1\n$$', ['!x = 1']],
  ['text\n\\[\nx = 1\n- 2\n\\]\nmore', ['!x = 1\n- 2']],
  ['$$x = 1$$', ['!x = 1']],
  ['So $$x =\n1$$ it is.', ['!x =\n1']],
  ['$f(x) = \\$5$', ['f(x) = \\$5']],
])('%j has formulas', (text, found) => {
  expect(formulas(text)).toEqual(found);
});

test.each([
  'It costs $5 and $6.',
  '$5–$6',
  'from $5 to $6',
  'between $5/month and US$7',
  'A$5 or US$7',
  '$20k-$30k',
  '$5/$10',
  'I have $100 and you have 200$.',
  'It is $5 (or 5$).',
  'from $HOME to $PATH',
  '$HOME/$USER',
  '$a:$b',
  'Pay \\$5 and \\$6',
  '$ x $',
  '$x $',
  '$',
  '$$',
  '$$$$',
  '$$ is the pid',
  'echo `$x$`',
  '```\n$x$\n```',
  '$100,000 – a lot – and $',
  'Costs: $1,200.50 (net), then $80 (gross)$',
  '\\(\\)',
  '$$\n$$',
  '$$\n\nx\n$$',
  'costs 5$ and 6$ each',
  '$$\nnever closed',
  'He said $the quick brown fox$ once',
  '\\\\(x)',
  '(x) \\) y',
])('%j has none', (text) => {
  expect(formulas(text)).toEqual([]);
});

test('no text is lost, whatever signs are in it', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.constantFrom(
          '$',
          '$$',
          '\\(',
          '\\)',
          '\\[',
          '\\]',
          '\n',
          '\n\n',
          'a',
          '5',
          ' ',
          '\\',
          '{',
          '[^1]',
          '[^1]: ',
          '- ',
        ),
        { maxLength: 30 },
      ),
      (parts) => {
        const text = parts.join('');
        expect(
          dialect
            .lexer(text)
            .map(({ raw }) => raw)
            .join('')
            .replace(/\s/g, ''),
        ).toBe(text.replace(/\s/g, ''));
      },
    ),
    { numRuns: 2_000 },
  );
});

test('what is too long or too deep is never given to the library', () => {
  expect([
    tooMuch('x'.repeat(4_000)),
    tooMuch('x'.repeat(4_001)),
    tooMuch('{'.repeat(41)),
    tooMuch('{}'.repeat(1_000)),
    tooMuch('\\left('.repeat(41)),
    tooMuch('\\{'.repeat(100)),
    tooMuch('\\begin{a}'.repeat(41)),
  ]).toEqual([false, true, true, false, true, false, true]);
});
