// Where a callout stands beside what it points at.

export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Pixels between the two, and to the edge of the window. */
const GAP = 12;
const EDGE = 12;

/**
 * The place of a callout of this size: below what it points at, above, to its left or right; in its far corner where
 * nothing else is left, so that what follows it stays free.
 */
export function placed(
  anchor: Box | null,
  { width, height }: Pick<Box, 'width' | 'height'>,
  view: { width: number; height: number },
): { left: number; top: number } {
  const clamp = (at: number, size: number, of: number) => Math.max(EDGE, Math.min(at, of - size - EDGE));
  if (!anchor) return { left: clamp(view.width, width, view.width), top: clamp(view.height, height, view.height) };
  const left = clamp(anchor.left, width, view.width);
  const top = clamp(anchor.top, height, view.height);
  const below = anchor.top + anchor.height + GAP;
  if (below + height <= view.height - EDGE) return { left, top: below };
  if (anchor.top - GAP - height >= EDGE) return { left, top: anchor.top - GAP - height };
  if (anchor.left - GAP - width >= EDGE) return { left: anchor.left - GAP - width, top };
  if (anchor.left + anchor.width + GAP + width <= view.width - EDGE)
    return { left: anchor.left + anchor.width + GAP, top };
  return {
    left: clamp(anchor.left + anchor.width, width, view.width),
    top: clamp(anchor.top + anchor.height - height - GAP, height, view.height),
  };
}
