// Where a text that was cut off begins to repeat itself (P11), so that the repeats can be folded. The limits are those of
// orion-core/src/repeats.rs. It is asked only once the notice is there that says so.

const LEAST = 4096;
const LONGEST = 2048;
const TIMES = 6;

export interface Repeats {
  /** The text with the first of the repeats and none of the others. */
  once: string;
  /** How often it comes again after that. */
  again: number;
}

/** The repeats at the end of a text; null where there are none. */
export function repeatsOf(text: string): Repeats | null {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length < LEAST) return null;
  const stretch = period(bytes.subarray(bytes.length - LEAST));
  if (stretch > LONGEST) return null;
  let start = bytes.length - LEAST;
  while (start > 0 && bytes[start - 1] === bytes[start - 1 + stretch]) start -= 1;
  const times = Math.floor((bytes.length - start) / stretch);
  if (times < TIMES) return null;
  let end = start + stretch;
  // A character is whole on either side.
  while (end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end += 1;
  return { once: new TextDecoder().decode(bytes.subarray(0, end)), again: times - 1 };
}

/** The smallest period: the length less that of the longest beginning that is also the end. */
function period(bytes: Uint8Array): number {
  const borders = new Uint16Array(bytes.length);
  let border = 0;
  for (let at = 1; at < bytes.length; at++) {
    while (border > 0 && bytes[at] !== bytes[border]) border = borders[border - 1] ?? 0;
    if (bytes[at] === bytes[border]) border += 1;
    borders[at] = border;
  }
  return bytes.length - border;
}
