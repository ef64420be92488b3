// Which turns of the table are shown, and in which order. Pure.

import type { TurnFigures } from '$lib/generated/TurnFigures';
import { type ColumnKey, COLUMNS, isProblem } from './columns';

export interface Order {
  by: ColumnKey;
  descending: boolean;
}

export interface Choice {
  /** Looked for in the message and the model. */
  text: string;
  route: string;
  model: string;
  problems: boolean;
}

export const EVERYTHING: Choice = { text: '', route: '', model: '', problems: false };
export const NEWEST_FIRST: Order = { by: 'started', descending: true };

/** Another column begins with what is most of it, words with the first letter; the same one turns around. */
export function ordered(order: Order, by: ColumnKey): Order {
  if (order.by === by) return { by, descending: !order.descending };
  const column = COLUMNS.find(({ key }) => key === by);
  return { by, descending: column?.figure === true || by === 'started' };
}

const WORDS = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

export function chosen(turns: readonly TurnFigures[], choice: Choice, order: Order): TurnFigures[] {
  const text = choice.text.trim().toLowerCase();
  const found = turns.filter(
    (turn) =>
      (text === '' || turn.text.toLowerCase().includes(text) || turn.model.toLowerCase().includes(text)) &&
      (choice.route === '' || turn.route === choice.route) &&
      (choice.model === '' || turn.model === choice.model) &&
      (!choice.problems || isProblem(turn)),
  );
  const value = COLUMNS.find(({ key }) => key === order.by)?.value;
  if (!value) return found;
  const sign = order.descending ? -1 : 1;
  return found
    .map((turn) => ({ turn, at: value(turn) }))
    .sort((a, b) => {
      if (a.at === null || b.at === null) return Number(a.at === null) - Number(b.at === null);
      return (
        sign *
        (typeof a.at === 'number' && typeof b.at === 'number' ? a.at - b.at : WORDS.compare(String(a.at), String(b.at)))
      );
    })
    .map(({ turn }) => turn);
}
