// The output of commands, as a person reads it: the last lines of one that runs, and the rows of what is kept. Pure.

import type { CommandOutput } from '$lib/generated/CommandOutput';
import { words } from '$lib/words';
import { plainLines } from './plain';

/** A line that is drawn over with `\r` is what was drawn last. A `\r` at its end draws over nothing yet. */
function lastDrawing(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === '\r') end -= 1;
  return end === 0 ? line : line.slice(line.lastIndexOf('\r', end - 1) + 1);
}

/** Output with only the last drawing of each line, for more to be added. */
export function drawn(output: string): string {
  return output.includes('\r') ? output.split('\n').map(lastDrawing).join('\n') : output;
}

/** Lines of the output of a running command that a person is shown. */
const LAST = 12;

/** The last lines of what a running command has written so far. */
export function lastLines(output: string): string {
  const lines = drawn(output)
    .split('\n')
    .map((line) => line.replaceAll('\r', ''));
  if (lines.at(-1) === '') lines.pop();
  return plainLines(lines.slice(-LAST).join('\n'));
}

/** One row of an output: a line, or a piece of one that is too long for a row; or what is not kept. */
export type OutputRow = { number: number | null; text: string } | { leftOut: number };

/** Characters of a row. */
const ROW = 4_000;

/** The rows of an output. Lines after what is not kept have no numbers: nobody counted those before them. */
export function rowsOf({ start, leftOut, end }: CommandOutput): OutputRow[] {
  const rows = rowsIn(start, true);
  return leftOut === 0 ? rows : [...rows, { leftOut }, ...rowsIn(end, false)];
}

function rowsIn(text: string, counted: boolean): OutputRow[] {
  if (text === '') return [];
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.flatMap((line, index) => {
    const shown = plainLines(line);
    const pieces = Math.max(Math.ceil(shown.length / ROW), 1);
    return Array.from({ length: pieces }, (_, at) => ({
      number: counted && at === 0 ? index + 1 : null,
      text: shown.slice(at * ROW, (at + 1) * ROW),
    }));
  });
}

/** An output as it is copied. */
export function wholeOf({ start, leftOut, end }: CommandOutput): string {
  return leftOut === 0 ? start : `${start}\n[${words.shell.leftOut(leftOut)}]\n${end}`;
}
