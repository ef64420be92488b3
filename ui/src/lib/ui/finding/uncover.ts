// The part of a turn that a text was found in: which element it is, and how it opens.

import { tick } from 'svelte';
import type { FindPart } from '$lib/generated/FindPart';
import { type Item, itemKey } from '$lib/model/item';
import { placeOfCall, placeOfWrite } from '$lib/model/timeline/entry';
import type { Turn } from '$lib/model/turn';

/** The item of a turn that a part is; none for what the person wrote. */
export function itemOf(turn: Turn, part: FindPart): Item | null {
  switch (part.type) {
    case 'message':
      return null;
    case 'tool':
      return turn.items.find((item) => item.kind === 'tool' && item.callId === part.toolCallId) ?? null;
    default:
      return (
        turn.items.findLast((item) => item.kind === part.type && item.seq <= part.seq) ??
        turn.items.find((item) => item.kind === part.type) ??
        null
      );
  }
}

/** The element of a part in the article of its turn, where it is shown. */
export function elementOf(article: Element, part: FindPart, item: Item | null): HTMLElement | null {
  if (part.type === 'message') return article.querySelector<HTMLElement>('[data-testid=asked]');
  const [name, value] =
    part.type === 'tool' ? ['place', placeOfCall(part.toolCallId)] : ['item', item ? itemKey(item) : ''];
  return (
    [...article.querySelectorAll<HTMLElement>(`[data-${name}]`)].find((it) => it.dataset[name ?? ''] === value) ?? null
  );
}

/** The element of an item in the article of its turn, where it is shown. */
export function shownIn(article: Element, item: Item): HTMLElement | null {
  const [name, value] =
    item.kind === 'tool'
      ? ['place', placeOfCall(item.callId)]
      : item.kind === 'write'
        ? ['place', placeOfWrite(item.write)]
        : ['item', itemKey(item)];
  return markedBy(article, name, value);
}

function markedBy(article: Element, name: string, value: string): HTMLElement | null {
  const element = [...article.querySelectorAll<HTMLElement>(`[data-${name}]`)].find((it) => it.dataset[name] === value);
  // What only stands for its content has no box of its own.
  const inside = element?.firstElementChild;
  return element?.classList.contains('item') && inside instanceof HTMLElement ? inside : (element ?? null);
}

/** Folds within folds that are opened at most. */
const DEEPEST = 8;

/** Opens everything that is folded in an element. */
export async function unfold(element: Element): Promise<void> {
  for (let depth = 0; depth < DEEPEST; depth++) {
    const closed = element.querySelector<HTMLElement>('button[aria-expanded=false]:not([aria-haspopup])');
    if (!closed) return;
    closed.click();
    await tick();
  }
}
