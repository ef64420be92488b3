// The figures of two turns in rows, and which of them is less. Pure.

import type { TurnFigures } from '$lib/generated/TurnFigures';
import { type ColumnKey, COLUMNS } from '../figures/columns';

export interface FigureRow {
  key: ColumnKey;
  label: string;
  left: string;
  right: string;
  /** By how much the second is more or less than the first, such as `−40 %`; empty where that says nothing. */
  change: string;
}

/** Where less is better for the person who waits and pays. */
const SHOWN: readonly ColumnKey[] = [
  'ended',
  'steps',
  'tools',
  'refused',
  'tokens',
  'cached',
  'cost',
  'time',
  'waited',
];

function changeOf(left: number | string | null, right: number | string | null): string {
  if (typeof left !== 'number' || typeof right !== 'number' || left === right || left === 0) return '';
  const percent = Math.round((right / left - 1) * 100);
  return percent === 0 ? '' : `${percent > 0 ? '+' : '−'}${Math.abs(percent)} %`;
}

export function figureRows(left: TurnFigures, right: TurnFigures): FigureRow[] {
  return SHOWN.flatMap((key) => {
    const column = COLUMNS.find((other) => other.key === key);
    if (!column) return [];
    const change = key === 'ended' || key === 'cached' ? '' : changeOf(column.value(left), column.value(right));
    return [{ key, label: column.label, left: column.words(left), right: column.words(right), change }];
  });
}
