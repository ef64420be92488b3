// One line cut where its look changes: syntax colours, words that changed, and characters that must not pass unseen. Together
// the bits are exactly the line.

import type { Mark } from '$lib/generated/Mark';
import type { MarkKind } from '$lib/generated/MarkKind';

export interface Bit {
  text: string;
  color: string | undefined;
  /** Among the words that differ from the other side. */
  changed: boolean;
  /** Shown as a sign instead of itself; an empty one marks a place: a seam, or the end of what is shown where more of it follows. */
  sign: Exclude<MarkKind, 'changed'> | null;
}

interface Coloured {
  text: string;
  color: string | undefined;
}

export function bitsOf(text: string, marks: readonly Mark[], colours: readonly Coloured[] | null): Bit[] {
  const within = marks
    .map(({ from, to, kind }) => ({ from: clamp(from, text), to: clamp(to, text), kind }))
    .filter(({ from, to, kind }) => from < to || (from === to && kind !== 'changed'));
  // Colours that belong to another text are not used.
  const spans = colours && colours.map((span) => span.text).join('') === text ? colours : null;
  const edges = new Set([0, text.length]);
  for (const { from, to } of within) edges.add(from).add(to);
  let at = 0;
  for (const span of spans ?? []) edges.add((at += span.text.length));
  const cuts = [...edges].sort((a, b) => a - b);
  const bits: Bit[] = [];
  let span = 0;
  let spanEnd = spans?.[0]?.text.length ?? 0;
  for (const [index, from] of cuts.entries()) {
    for (const place of within) {
      if (place.from === from && place.to === from && place.kind !== 'changed')
        bits.push({ text: '', color: undefined, changed: false, sign: place.kind });
    }
    const to = cuts[index + 1];
    if (to === undefined) break;
    while (spans && span < spans.length && spanEnd <= from) spanEnd += spans[++span]?.text.length ?? 0;
    const over = within.filter((mark) => mark.from <= from && mark.to >= to && mark.from < mark.to);
    const sign = over.find((mark) => mark.kind !== 'changed')?.kind ?? null;
    const bit: Bit = {
      text: text.slice(from, to),
      color: spans?.[span]?.color,
      changed: over.some((mark) => mark.kind === 'changed'),
      sign: sign === 'changed' ? null : sign,
    };
    const last = bits.at(-1);
    // Several hidden characters in a row are one sign.
    if (last && bit.sign !== null && last.sign === bit.sign && last.text !== '') last.text += bit.text;
    else bits.push(bit);
  }
  return bits;
}

/** A name for each bit that stays when colours come: a sign that has the keyboard keeps it. */
export function keysOf(bits: readonly Bit[]): string[] {
  const times = new Map<string, number>();
  let at = 0;
  return bits.map(({ text, sign }) => {
    const name = `${at} ${sign ?? ''}`;
    const before = times.get(name) ?? 0;
    times.set(name, before + 1);
    at += text.length;
    return `${name} ${before}`;
  });
}

function clamp(place: number, text: string): number {
  return Math.min(Math.max(place, 0), text.length);
}
