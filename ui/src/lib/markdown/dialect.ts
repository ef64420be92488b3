// What Markdown is here: that of the library, with math and footnotes, and without what must not change behind a reader's back. Not here: text that
// still grows (stream.ts).

import { Marked, type Token, type TokenizerExtension, type Tokens } from 'marked';
import { bareAddress } from './address';
import { inlineMath, mathLine } from './formula';

/** A formula. */
export interface MathToken {
  type: 'math';
  raw: string;
  /** As TeX. */
  text: string;
  display: boolean;
  /** False for one whose end has not come. */
  whole: boolean;
  /** It is a text after all, with these in it. */
  tokens?: Token[];
}

/** The mark of a footnote in a text. */
export interface MarkToken {
  type: 'mark';
  raw: string;
  label: string;
}

/** What a footnote says. */
export interface NoteToken {
  type: 'note';
  raw: string;
  label: string;
  tokens: Token[];
}

// No underlined headings: they would turn a paragraph into a heading behind the reader's back, and their pattern is the
// dearest one on WebKit. No definitions: a block is read on its own, and what they say must not vanish.
const none = () => undefined;

/** A bare address is a link. The library's own pattern takes mail addresses too, and walks back over what it has read. */
function address(source: string): Tokens.Link | undefined {
  const href = bareAddress(source);
  return href === null
    ? undefined
    : {
        type: 'link',
        raw: href,
        href,
        text: href,
        title: null,
        tokens: [{ type: 'text', raw: href, text: href, escaped: false }],
      };
}

/** The beginning of a line that a pattern takes; the library asks so that such a line ends a paragraph, and leaves out the paragraph's first character. */
const lineWith =
  (pattern: RegExp) =>
  (source: string): number | undefined => {
    const found = pattern.exec(source);
    return found ? found.index + 1 : undefined;
  };

const mathBlock: TokenizerExtension = {
  name: 'math',
  level: 'block',
  start: lineWith(/\n {0,3}(?:\$\$|\\\[)/),
  tokenizer: mathLine,
};

const mathInline: TokenizerExtension = {
  name: 'math',
  level: 'inline',
  // At a bracket and a backslash the library stops by itself.
  start: (source) => {
    const at = source.indexOf('$');
    return at < 0 ? undefined : at;
  },
  tokenizer: (source, tokens) => inlineMath(source, tokens.at(-1)?.raw.at(-1) ?? ''),
};

/** Names of footnotes, in capitals or not, are the same. */
const labelOf = (label: string) => label.toLowerCase();

const mark: TokenizerExtension = {
  name: 'mark',
  level: 'inline',
  tokenizer(source): MarkToken | undefined {
    if (!source.startsWith('[^')) return undefined;
    const [raw, label] = /^\[\^([^\][\s^]{1,60})\](?!\()/.exec(source) ?? [];
    return raw === undefined || label === undefined ? undefined : { type: 'mark', raw, label: labelOf(label) };
  },
};

/** Signs that may begin or end something. For each of them the library looks through the rest of its text. */
const SIGNS = /[*_$[<]/g;
/** So many of them in one text are no writing: what a person reads has a tenth. */
const MOST_SIGNS = 1_000;

/** A text of nothing but signs, to its end. */
const dense: TokenizerExtension = {
  name: 'text',
  level: 'inline',
  tokenizer(source, tokens): Tokens.Text | undefined {
    const isBegin = tokens.length === 0 && source.length > MOST_SIGNS;
    return isBegin && (source.match(SIGNS)?.length ?? 0) > MOST_SIGNS
      ? { type: 'text', raw: source, text: source, escaped: false }
      : undefined;
  },
};

const NOTE = /^ {0,3}\[\^([^\][\s^]{1,60})\]:[ \t]*/;
/** A line that goes on with a paragraph, and begins nothing else. */
const GOES_ON = /^(?! {0,3}(?:#{1,6} |[-*+] |\d{1,9}[.)] |>|`{3}|~{3}|\||\[\^|\$\$|\\\[))[^\n]*\S/;

/** A note in a note is text: they would nest as deep as a model likes. */
let inNote = false;

const note: TokenizerExtension = {
  name: 'note',
  level: 'block',
  start: lineWith(/\n {0,3}\[\^[^\][\s^]{1,60}\]:/),
  tokenizer(source): NoteToken | undefined {
    const [opening, label] = NOTE.exec(source) ?? [];
    if (inNote || opening === undefined || label === undefined) return undefined;
    const lines = source.split('\n');
    let [count, blank] = [1, false];
    for (const line of lines.slice(1)) {
      if (line.trim() === '') blank = true;
      else if (/^(?: {4}|\t)/.test(line) || (!blank && GOES_ON.test(line))) blank = false;
      else break;
      count += 1;
    }
    while (count > 1 && lines[count - 1]?.trim() === '') count -= 1;
    const taken = lines.slice(0, count);
    const raw = taken.join('\n') + (lines.length > count ? '\n' : '');
    const text = [
      taken[0]?.slice(opening.length) ?? '',
      ...taken.slice(1).map((line) => line.replace(/^(?: {1,4}|\t)/, '')),
    ].join('\n');
    inNote = true;
    try {
      return { type: 'note', raw, label: labelOf(label), tokens: this.lexer.blockTokens(text, []) };
    } finally {
      inNote = false;
    }
  },
};

export const dialect = new Marked({
  tokenizer: { lheading: none, def: none, url: address },
  extensions: [mathBlock, mathInline, note, mark, dense],
});
