// The checks of a turn among its items: which time that they ran, and by which id what they changed is kept. Pure.

import type { Item } from './item';

/** The number of the time that these checks ran in their turn, from 1. */
export function attemptOf(items: readonly Item[], of: Item): number {
  return items.filter(({ kind }) => kind === 'checks').indexOf(of) + 1;
}

/** The id by which the changes of a check are kept, as those of a call are. */
export function checkId(name: string, attempt: number): string {
  return `check:${attempt}:${name}`;
}

/** These checks are the last ones of their turn. */
export function isLastChecks(items: readonly Item[], of: Item): boolean {
  return items.findLast(({ kind }) => kind === 'checks') === of;
}
