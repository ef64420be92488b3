// Files and folders that a message names with `@`: where one is being typed, and how its name is written. What is named is found and
// read by the core, which parses by the same rules (`orion-core/src/mention.rs`).

/** A name that is being typed. */
export interface Typed {
  /** Where its `@` stands. */
  from: number;
  /** Where the caret stands, and what is typed ends. */
  to: number;
  /** What is typed of the name. */
  filter: string;
}

/** What may stand before the `@` beside space: an address of mail is no name. */
const BEFORE = /[\s([{"'`,;]/u;
/** What a name may hold to go without quotes: no space, no quote, and no mark at its end that would be one of the sentence. */
const PLAIN = /^[^\s"]*[^\s".,:;!?)\]}'`]$/u;
/** Lines after a name. */
const LINES = /:\d*(?:-\d*)?$/u;

/** The name that is typed where the caret stands; null where none is. */
export function typedAt(text: string, caret: number): Typed | null {
  const before = text.slice(0, caret);
  const from = before.lastIndexOf('@');
  if (from < 0 || (from > 0 && !BEFORE.test(before[from - 1]!))) return null;
  const rest = before.slice(from + 1);
  if (rest.startsWith('"')) {
    const quoted = /^"((?:\\["\\]|[^"\n])*)$/u.exec(rest);
    return quoted ? { from, to: caret, filter: unescaped(quoted[1]!) } : null;
  }
  return /\s/u.test(rest) || LINES.test(rest) ? null : { from, to: caret, filter: rest };
}

const unescaped = (quoted: string) => quoted.replace(/\\(["\\])/gu, '$1');

/** A path as a message names it. */
export const named = (path: string) =>
  PLAIN.test(path) && !LINES.test(path) ? `@${path}` : `@"${path.replace(/["\\]/gu, '\\$&')}"`;

/** The text with a path in the place of what was typed, and where the caret goes. After a folder the name goes on. */
export function completed(
  text: string,
  typed: Typed,
  path: string,
  isFolder: boolean,
): { text: string; caret: number } {
  const after = text.slice(typed.to);
  if (isFolder) return put(text, typed.from, open(`${path}/`), after);
  // What is left of the word that the caret stood in goes.
  const rest = after.replace(/^\S*/u, '');
  return put(text, typed.from, named(path), /^\s/u.test(rest) ? rest : ` ${rest}`, rest === '' ? 1 : 0);
}

/** Puts a name in the place of all from `from` on, with `rest` behind it, of which the caret passes some. */
const put = (text: string, from: number, name: string, rest: string, passed = 0) => ({
  text: `${text.slice(0, from)}${name}${rest}`,
  caret: from + name.length + passed,
});

/** A folder's path, to be typed on. */
const open = (path: string) => (/[\s"]/u.test(path) ? `@"${path.replace(/["\\]/gu, '\\$&')}` : `@${path}`);
