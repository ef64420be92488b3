// Where a text has formulas: `$…$`, `$$…$$`, `\(…\)`, `\[…\]`. An amount of dollars is none. Whether a line begins a formula can be told from that line
// alone, and what it takes from the lines up to its end, so that text that still grows is read only once. Not here: drawing them (math.ts).

import type { TokenizerThis } from 'marked';
import type { MathToken } from './dialect';

/** Characters of a formula within a line; a longer one is none. */
const LONGEST = 2_000;

const CLOSING: Readonly<Record<string, string>> = { $$: '$$', '\\[': '\\]', '\\(': '\\)' };

/** A formula in lines of its own: on one line from end to end, or between two lines that have its signs alone. No empty line is in one. */
export function mathLine(this: TokenizerThis, source: string): MathToken | undefined {
  const [head, opening] = /^ {0,3}(\$\$|\\\[)/.exec(source) ?? [];
  const closing = CLOSING[opening ?? ''];
  if (head === undefined || closing === undefined) return undefined;
  const lines = source.split('\n');
  const first = (lines[0] ?? '').trim();
  if (first !== opening) {
    const tex = first.slice(2, -2);
    if (!first.endsWith(closing) || first.length < 5 || tex.includes(closing) || tex.trim() === '') return undefined;
    return formula(rawOf(lines, 1), tex, true);
  }
  for (let count = 1; count < lines.length; count++) {
    const line = (lines[count] ?? '').trim();
    if (line === closing && count > 1) return formula(rawOf(lines, count + 1), lines.slice(1, count).join('\n'), true);
    // There is nothing in it, or it has no end. What stood above may be finished by now, so this joins no paragraph.
    if (line === closing) return text(rawOf(lines, count + 1), this);
    if (line === '' && count + 1 < lines.length) return text(rawOf(lines, count), this);
  }
  return { type: 'math', raw: source, text: source, display: true, whole: false } satisfies MathToken;
}

function text(raw: string, { lexer }: TokenizerThis): MathToken {
  return { type: 'math', raw, text: raw, display: true, whole: false, tokens: lexer.inline(raw.trimEnd()) };
}

function rawOf(lines: readonly string[], count: number): string {
  return lines.slice(0, count).join('\n') + (lines.length > count ? '\n' : '');
}

function formula(raw: string, text: string, display: boolean): MathToken {
  return { type: 'math', raw, text: text.trim(), display, whole: true };
}

const PAIRED = /^(?:\\\(((?:(?!\n\n)[^])+?)\\\)|\\\[((?:(?!\n\n)[^])+?)\\\]|\$\$(?!\$)((?:\\[^]|[^\\$])+?)\$\$(?!\$))/;
/** Neither begins nor ends with a space, and no letter or digit stands before or after its signs. */
const SINGLE = /^\$(?![\s$])((?:\\[^\n]|[^\\$\n])*?(?:\\[^\n]|[^\\$\s]))\$(?![\d$])/;

/** A formula within a text. `before`: the character that it stands behind. */
export function inlineMath(source: string, before: string): MathToken | undefined {
  if (!source.startsWith('$') && !source.startsWith('\\')) return undefined;
  const near = source.slice(0, LONGEST);
  const paired = PAIRED.exec(near);
  if (paired) {
    const [raw, inline, display = '', dollars = ''] = paired;
    const text = inline ?? (display || dollars);
    return text.trim() === '' ? undefined : formula(raw, text, inline === undefined);
  }
  const [raw, text] = SINGLE.exec(near) ?? [];
  if (
    raw === undefined ||
    text === undefined ||
    /[\p{L}\p{N}$\\]/u.test(before) ||
    !reads(text, near.charAt(raw.length))
  )
    return undefined;
  return formula(raw, text, false);
}

/** An amount, with what may stand behind it: `5`, `1,200.50`, `20k`. */
const AMOUNT = /^[\d.,]+(?:[kKmMbB]|bn|tn)?(?![\w^_\\{])/;

/** True when what stands between two signs of dollars reads as a formula, and not as words between two amounts or two names. */
function reads(text: string, after: string): boolean {
  const words = text.replace(/\\[a-zA-Z]+\s*\{[^{}]*\}|\\[a-zA-Z]+/g, ' ');
  if (AMOUNT.test(text) && /\p{L}{2}|[–—…]/u.test(words)) return false;
  // `$HOME/$USER`, `$a:$b`
  if (/\p{L}/u.test(after) && !/[\p{L}\p{N})}\]']$/u.test(text)) return false;
  // `$HOME and my $`: sentences are no formula.
  return !/\p{L}{3,}\s+\p{L}{3,}/u.test(words);
}
