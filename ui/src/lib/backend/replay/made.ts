// Texts that nobody wrote: addresses, formulas and Markdown, put together from pieces by a number, so that the same number makes the same texts.

import { HOSTILE_TEXTS } from './hostileTexts';
import { Recording } from './recording';
import type { Script } from './scripts';

const ADDRESS = [
  'mailto:',
  'http://',
  'https://',
  'a.b',
  'example.org',
  '@',
  '%',
  '%zz',
  '%41',
  '[::1]',
  '::',
  '/',
  '?',
  '#',
  ':80',
  ':99999',
  'xn--',
  'é',
  '\u202e',
  '\u0000',
  ' ',
  '\\',
  '..',
  '<',
  '>',
  '(',
  ')',
  '[',
  ']',
  '&amp;',
  'javascript:',
  'data:',
  'file:',
  'src/a.rs:',
  '12',
  '-',
];
const FORMULA = [
  '\\frac',
  '\\sqrt',
  '{',
  '}',
  '^',
  '_',
  'x',
  '1',
  '+',
  '\\\\',
  '&',
  '\\begin{matrix}',
  '\\end{matrix}',
  '\\text{',
  '$',
  '\\(',
  '\\)',
  '\\left(',
  '\\right.',
  '\\color{red}',
  '\\href{x}{y}',
  '\\def\\a{\\a}',
  '\\a',
  '\\limits',
  '\u0000',
  'é',
  '%',
  '~',
  '\\unicode{x1}',
  '#',
];
const MARKUP = [
  '*',
  '**',
  '_',
  '~~',
  '`',
  '```',
  '~~~',
  '|',
  '|-|',
  '\n',
  '\n\n',
  '    ',
  '> ',
  '- ',
  '1. ',
  '# ',
  '[',
  '](',
  ')',
  '![',
  '[^1]',
  '[^1]: ',
  '<b>',
  '&',
  '\\',
  ':',
  'word',
  'DONE',
];
/** Of one page. */
export const MADE = { addresses: 50, formulas: 50, texts: 12 };

/** Numbers from 0 to below 1, always the same from the same beginning (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function blocks(seed: number): string[] {
  const next = numbers(seed);
  const pick = (from: readonly string[]) => from[Math.floor(next() * from.length)] ?? '';
  const made = (from: readonly string[], most: number) =>
    Array.from({ length: 1 + Math.floor(next() * most) }, () => pick(from)).join('');
  const times = (count: number, make: () => string) => Array.from({ length: count }, make);
  return [
    ...times(MADE.addresses, () =>
      pick([
        `[a](${made(ADDRESS, 6)})`,
        `[a](<${made(ADDRESS, 6)}>)`,
        `<${made(ADDRESS, 5)}>`,
        made(ADDRESS, 6),
        `![a](${made(ADDRESS, 5)})`,
        `[a]: ${made(ADDRESS, 4)}\n\n[a]`,
      ]),
    ),
    ...times(MADE.formulas, () =>
      pick([
        `$${made(FORMULA, 8)}$`,
        `\\(${made(FORMULA, 8)}\\)`,
        `$$\n${made(FORMULA, 12)}\n$$`,
        `\\[${made(FORMULA, 8)}\\]`,
      ]),
    ),
    ...times(MADE.texts, () => made(MARKUP, 20) + pick(HOSTILE_TEXTS) + made(MARKUP, 10) + pick(HOSTILE_TEXTS)),
  ];
}

/** A turn whose answer is made of the page's number, `&seed=` in its address. */
export const madeAnswer: Script = (ids, text, startMs) => {
  const seed = Number(new URLSearchParams(location.search).get('seed') ?? '1');
  return new Recording(ids, text, startMs)
    .wait(1)
    .action()
    .wait(1)
    .say(blocks(seed).join('\n\n'), 100_000, 0)
    .end('answered', 'stop')
    .completed();
};
