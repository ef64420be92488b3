// What the head of the timeline shows of a view: columns with their names, phases as bands, marks. No more than there are pixels for.

import { duration } from '../words';
import { endOf, type MarkAt } from './entry';
import { momentOf, pixelOf, type Pixels } from './shapes';
import { after } from './search';
import { type Band, stepKind, stepWords, type Timeline } from './timeline';

export interface Column {
  index: number;
  x: number;
  width: number;
  /** Empty where there is no room for words. */
  name: string;
  time: string;
}

/** The least width of a column that is told from its neighbours. */
const COLUMN_PX = 4;
const MARK_PX = 8;
const BAND_PX = 2;
/** About the width of a character of the small type. */
const CHARACTER_PX = 6.2;
/** The same, of the bold type. */
const BOLD_PX = 7;
/** The least room of a number where columns are too narrow for theirs. */
const NUMBER_PX = 26;

export function columnsOf(timeline: Timeline, pixels: Pixels, nowMs: number): Column[] {
  const { steps } = timeline;
  const first = Math.max(after(steps, momentOf(pixels, 0), ({ startMs }) => startMs) - 1, 0);
  const last = after(steps, momentOf(pixels, pixels.width), ({ startMs }) => startMs);
  if ((last - first) * COLUMN_PX > pixels.width) return [];
  const every = Math.max(Math.ceil(NUMBER_PX / (pixels.width / Math.max(last - first, 1))), 1);
  const columns = steps.slice(first, last).map((step) => {
    const next = steps[step.index + 1]?.startMs ?? timeline.turn?.endMs ?? nowMs;
    const startMs = step.index === 0 ? timeline.startMs : step.startMs;
    const x = pixelOf(pixels, startMs);
    const width = pixelOf(pixels, Math.max(next, startMs)) - x;
    const seen = Math.min(x + width, pixels.width) - Math.max(x, 0);
    const time = duration(Math.max(next - startMs, 0));
    const words = stepWords(timeline, step);
    const name = seen >= words.length * BOLD_PX + 5 ? words : '';
    return { index: step.index, x, width, name, time: seen >= time.length * CHARACTER_PX + 6 ? time : '' };
  });
  // A number may stand over its narrow column and the next ones, and never over another name.
  let nameAt = pixels.width;
  for (const column of columns.toReversed()) {
    const step = steps[column.index];
    const number =
      column.name === '' && column.x >= 0 && column.index % every === 0 && step && stepKind(timeline, step) === 'step'
        ? step.number
        : null;
    if (number !== null && column.x + String(number).length * BOLD_PX + 4 <= nameAt) column.name = String(number);
    if (column.name !== '') nameAt = column.x;
  }
  return columns;
}

export function bandsOf(timeline: Timeline, pixels: Pixels, nowMs: number): { band: Band; x: number; width: number }[] {
  const { bands } = timeline;
  const first = Math.max(after(bands, momentOf(pixels, 0), ({ span }) => span.startMs) - 1, 0);
  const last = after(bands, momentOf(pixels, pixels.width), ({ span }) => span.startMs);
  if ((last - first) * BAND_PX > pixels.width) return [];
  return bands.slice(first, last).map((band) => {
    const x = pixelOf(pixels, band.span.startMs);
    return { band, x, width: Math.max(pixelOf(pixels, endOf(band.span, nowMs)) - x, 1) };
  });
}

/** Of marks that would cover each other one is shown, an error before others. */
export function marksOf(timeline: Timeline, pixels: Pixels): { mark: MarkAt; x: number }[] {
  const { marks } = timeline;
  const shown: { mark: MarkAt; x: number }[] = [];
  let at = after(marks, momentOf(pixels, -MARK_PX), (mark) => mark.atMs);
  at = Math.max(at - 1, 0);
  while (at < marks.length) {
    const mark = marks[at] as MarkAt;
    const x = pixelOf(pixels, mark.atMs);
    if (x > pixels.width + MARK_PX) break;
    const next = Math.max(
      after(marks, momentOf(pixels, x + MARK_PX), (other) => other.atMs),
      at + 1,
    );
    const worst = marks.slice(at, Math.min(next, at + 64)).find(({ sort }) => sort === 'error') ?? mark;
    // At an edge it is whole.
    if (x >= -MARK_PX) shown.push({ mark: worst, x: Math.min(Math.max(x, MARK_PX / 2), pixels.width - MARK_PX / 2) });
    at = next;
  }
  return shown;
}
