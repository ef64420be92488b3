// Text of somebody else: characters that hide, turn or end a line are told by their numbers. On one line it has an end.

/** Controls, line ends, invisible characters and those that change the direction of a text. */
const HIDDEN =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;
const MOST = 400;

/** Characters that show nothing or only a gap, or that turn others: formats, every space but the plain one, and signs without ink. */
export const UNSEEN =
  /(?! )[\p{Cf}\p{Zs}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800\ufffc\u{13441}\u{13442}\u{16fe4}\u{1d159}]/gu;
/** Controls and ends of lines. */
const STEERS = /[\p{Cc}\p{Zl}\p{Zp}]/gu;

const numbered = (hidden: string) => `⟨U+${hidden.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}⟩`;

/** The name or the path of a file, in which everything is seen: one file must not look like another. */
export const named = (path: string): string => path.replace(STEERS, numbered).replace(UNSEEN, numbered);

export function plain(text: string, most = MOST): string {
  const cut = text.length > most ? `${text.slice(0, most)}…` : text;
  return cut.replace(/[\n\r\t]+/g, ' ').replace(HIDDEN, numbered);
}

/** The same with its lines and tabs. */
export function plainLines(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(HIDDEN, (hidden) => (hidden === '\n' || hidden === '\t' ? hidden : numbered(hidden)));
}

/** A path in so many characters: its end tells files apart. */
export function shortPath(path: string, most: number): string {
  const text = named(plain(path));
  if (text.length <= most) return text;
  if (!text.includes('/')) return `${text.slice(0, most - 1)}…`;
  return `…${text.slice(1 - most)}`;
}
