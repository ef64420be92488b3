// Paths of files as texts name them. Whether there is such a file, the core knows.

export interface FileLine {
  path: string;
  /** Counted from 1; null where none is named. */
  line: number | null;
}

/** A longer text is no path. */
const LONGEST = 400;
/** A text is searched this far. */
const SEARCHED = 20_000;

/** `src/a.rs`, `a.rs:10`, `a.rs:10:5`, `a.rs:10-20`, `a.rs#L10`. */
const WHOLE = /^([^\s:*?"<>|`#(){}=,;]+)(?::(\d{1,7})(?:[-–:]\d{1,7})?|#L(\d{1,7})(?:-L?\d{1,7})?)?$/u;

/** The place that a text as a whole names. */
export function placeOf(text: string): FileLine | null {
  if (text.length > LONGEST) return null;
  const [, path, line, anchor] = WHOLE.exec(text) ?? [];
  // Numbers and flags are no files, and a name alone says too little.
  if (
    path === undefined ||
    !/\p{L}/u.test(path) ||
    !/[./]/.test(path) ||
    path.startsWith('-') ||
    path.endsWith('/') ||
    path.includes('//')
  )
    return null;
  const number = Number(line ?? anchor ?? 0);
  return { path, line: number > 0 ? number : null };
}

/** Paths in running text have an ending, so that words with a slash between them are none. */
const WITHIN =
  /(?<![\w/.:@~+-])(?:\.{0,2}\/)?(?:[\w@+-][\w.+-]*\/)*[\w+-][\w.+-]*\.[A-Za-z]\w{0,9}(?::\d{1,7}(?:[-–:]\d{1,7})?)?(?![\w/@])/g;

export interface Piece {
  text: string;
  place: FileLine | null;
}

/** A text cut at the places in it. The pieces together are the text. */
export function pieces(text: string): Piece[] {
  const found: Piece[] = [];
  let at = 0;
  for (const match of text.slice(0, SEARCHED).matchAll(WITHIN)) {
    const place = placeOf(match[0]);
    if (!place) continue;
    if (match.index > at) found.push({ text: text.slice(at, match.index), place: null });
    found.push({ text: match[0], place });
    at = match.index + match[0].length;
  }
  if (at < text.length) found.push({ text: text.slice(at), place: null });
  return found;
}
