// The marks of a time axis: round times of work, without what a person was waited for.

import { duration } from '../words';
import type { Axis } from './axis';
import type { View } from './view';

export interface Tick {
  place: number;
  label: string;
}

/** The least room of a tick and its words, in pixels. */
const TICK_PX = 64;

export function ticksOf(axis: Axis, view: View, width: number): Tick[] {
  const [from, to] = [axis.workAt(view.from), axis.workAt(view.to)];
  const times = roundTimes(from, to, Math.max(Math.floor(width / TICK_PX), 1));
  return times
    .map((ms) => ({ place: axis.placeOfWork(ms), label: ms === 0 ? '0' : duration(ms) }))
    .filter(({ place }, at, all) => place >= view.from && place <= view.to && place !== all[at - 1]?.place);
}

/** Multiples of 1, 2 or 5 times a power of ten, about so many. Not by `d3-scale`: it changes prototypes, which are frozen in the window. */
function roundTimes(from: number, to: number, wanted: number): number[] {
  const rough = Math.max((to - from) / wanted, Number.MIN_VALUE);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
  const first = Math.ceil(from / step);
  const count = Math.max(Math.min(Math.floor(to / step) - first + 1, 2 * wanted + 2), 0);
  return Array.from({ length: Number.isFinite(count) ? count : 0 }, (_, at) => (first + at) * step);
}
