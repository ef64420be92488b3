// The buttons that menus belong to. A menu is gone when a dialog that it opened closes, and then its button has the keyboard.

const openers = new WeakMap<Element, HTMLElement>();

export function belongsTo(menu: Element, opener: HTMLElement): void {
  openers.set(menu, opener);
}

/** Null for what stands in no menu. A menu of an item of a list belongs to the item, which has the tab stop. */
export function openerOf(element: Element | null): HTMLElement | null {
  const menu = element?.closest('[role=menu]');
  const opener = menu ? openers.get(menu) : undefined;
  return opener?.closest<HTMLElement>('[role=treeitem]') ?? opener ?? null;
}
