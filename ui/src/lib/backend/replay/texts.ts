// The texts of a recorded turn: cut into pieces, and joined again.

import type { Envelope } from '$lib/generated/Envelope';
import { JOINT } from '$lib/model/turn';

/** The texts of the phases, joined as the core joins them in a report. */
export function answerOf(envelopes: readonly Envelope[]): string {
  const texts = [''];
  for (const { event } of envelopes) {
    if (event.type === 'phase_started') texts.push('');
    if (event.type === 'text_chunk') texts.push(texts.pop() + event.text);
  }
  return texts.filter((text) => text !== '').join(JOINT);
}

/** A text in pieces of so many characters. */
export function chunks(text: string, size: number): string[] {
  const characters = Array.from(text);
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, index) =>
    characters.slice(index * size, (index + 1) * size).join(''),
  );
}
