// Text of somebody else on one line: characters that hide, turn or end a line are told by their numbers, and it has an end.

/** Controls, line ends, invisible characters and those that change the direction of a text. */
const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;
const MOST = 400;

export function plain(text: string, most = MOST): string {
  const cut = text.length > most ? `${text.slice(0, most)}…` : text;
  return cut.replace(/[\n\r\t]+/g, ' ').replace(HIDDEN, (hidden) => `⟨U+${hidden.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`);
}

/** A path in so many characters: its end tells files apart. */
export function shortPath(path: string, most: number): string {
  const text = plain(path);
  if (text.length <= most) return text;
  if (!text.includes('/')) return `${text.slice(0, most - 1)}…`;
  return `…${text.slice(1 - most)}`;
}
