// Many narrow bars as one path a lane: an element each would cost more than a frame.

import type { Lane } from './entry';
import type { Shape } from './shapes';

/** From so many bars on they are too narrow to be pointed at one by one. */
const CROWD = 80;

export interface Crowd {
  /** Drawn one by one. */
  single: Shape[];
  paths: { lane: Lane; d: string }[];
}

export function crowdOf(shapes: readonly Shape[], y: number, height: number, keep: (spanId: number) => boolean): Crowd {
  if (shapes.length < CROWD) return { single: [...shapes], paths: [] };
  const single = shapes.filter(({ entry }) => keep(entry.span.spanId));
  return { single, paths: pathsOf(shapes, y, height) };
}

export function pathsOf(shapes: readonly Shape[], y: number, height: number): { lane: Lane; d: string }[] {
  const lanes = new Map<Lane, string[]>();
  for (const { entry, x, width } of shapes) {
    const lane = lanes.get(entry.lane) ?? [];
    lane.push(`M${x.toFixed(1)} ${y}h${Math.max(width, 1).toFixed(1)}v${height}h${(-Math.max(width, 1)).toFixed(1)}z`);
    lanes.set(entry.lane, lane);
  }
  return [...lanes].map(([lane, bars]) => ({ lane, d: bars.join('') }));
}
