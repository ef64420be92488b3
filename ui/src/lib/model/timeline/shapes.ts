// What of a lane can be seen: bars within a view, in pixels. However many bars there are, at most one is made for each pixel.

import type { Axis } from './axis';
import { endOf, type Entry, type Part } from './entry';
import { partsOf } from './parts';
import { after } from './search';
import type { View } from './view';

export interface Shape {
  entry: Entry;
  x: number;
  width: number;
  /** Bars that are too narrow to be told apart are one. */
  merged: number;
  parts: { part: Part; x: number; width: number }[];
}

/** The least width of a bar: what took no time can be seen, too. */
const LEAST_PX = 3;
/** Below this a bar has no parts. */
const PARTS_PX = 6;

export interface Pixels {
  axis: Axis;
  view: View;
  width: number;
}

export function pixelOf({ axis, view, width }: Pixels, ms: number): number {
  return ((axis.at(ms) - view.from) / (view.to - view.from)) * width;
}

export function momentOf({ axis, view, width }: Pixels, x: number): number {
  return axis.momentAt(view.from + (x / width) * (view.to - view.from));
}

/** The bars of a lane in which no bar overlaps another, in the order of their starts. */
export function shapesOf(lane: readonly Entry[], pixels: Pixels, nowMs: number): Shape[] {
  const shapes: Shape[] = [];
  const firstMs = pixels.axis.momentAt(pixels.view.from);
  let at = Math.max(after(lane, firstMs, ({ span }) => span.startMs) - 1, 0);
  while (at < lane.length) {
    const shape = shapeOf(lane[at] as Entry, pixels, nowMs);
    if (shape.x > pixels.width) break;
    // The next bar that begins beyond this one's last pixel; those before it are one with it.
    const next = Math.max(
      after(lane, momentOf(pixels, shape.x + 1), ({ span }) => span.startMs),
      at + 1,
    );
    shape.merged = next - at;
    if (shape.x + shape.width >= 0) shapes.push(shape);
    at = next;
  }
  return shapes;
}

export function shapeOf(entry: Entry, pixels: Pixels, nowMs: number): Shape {
  const x = pixelOf(pixels, entry.span.startMs);
  const width = Math.max(pixelOf(pixels, endOf(entry.span, nowMs)) - x, LEAST_PX);
  const seen = width >= PARTS_PX && x <= pixels.width && x + width >= 0;
  const parts = seen
    ? partsOf(entry, nowMs).map((part) => ({
        part,
        x: pixelOf(pixels, part.fromMs),
        width: pixelOf(pixels, part.toMs) - pixelOf(pixels, part.fromMs),
      }))
    : [];
  return { entry, x, width, merged: 1, parts };
}

/** What is under a point of a lane. */
export function entryAt(lane: readonly Entry[], pixels: Pixels, x: number, nowMs: number): Entry | null {
  const at = after(lane, momentOf(pixels, x + LEAST_PX), ({ span }) => span.startMs) - 1;
  const entry = lane[at];
  if (!entry) return null;
  const shape = shapeOf(entry, pixels, nowMs);
  return x >= shape.x - 2 && x <= shape.x + shape.width + 2 ? entry : null;
}
