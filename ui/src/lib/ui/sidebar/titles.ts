// A title that is too wide ends at a word. Not here: what is wide, which a font decides.

const MARK = '…';

/** As many words as fit, with a mark for the rest; of a single word that is too wide, as many letters. */
export function fitted(title: string, room: number, widthOf: (text: string) => number): string {
  if (room <= 0 || widthOf(title) <= room) return title;
  const ends = [...title.matchAll(/\s+/gu)].map(({ index }) => index).filter((end) => end > 0);
  const end = ends.findLast((at) => widthOf(title.slice(0, at) + MARK) <= room);
  if (end !== undefined) return title.slice(0, end).replace(/[\s,.;:–—-]+$/u, '') + MARK;
  const letters = [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(title)].map(
    ({ segment }) => segment,
  );
  let fits = letters.length;
  while (fits > 1 && widthOf(letters.slice(0, fits).join('') + MARK) > room) fits -= 1;
  return letters.slice(0, fits).join('') + MARK;
}

/** Of a title, in pixels, where text has its usual size. Source: `--text-box`. */
const FONT_PX = 13;

/** The width of a title in the font of an element, in pixels, where text is this much larger than usual. */
export function measuring(element: HTMLElement, scale: number): (text: string) => number {
  const context = document.createElement('canvas').getContext('2d');
  if (!context) return () => 0;
  context.font = [`${FONT_PX * scale}px`, getComputedStyle(element).fontFamily].join(' ');
  const known = new Map<string, number>();
  return (text) => {
    const width = known.get(text) ?? context.measureText(text).width;
    known.set(text, width);
    return width;
  };
}
