// Which lines of finished steps a person has opened, by turn and key. They stay open until they are closed.

import { SvelteSet } from 'svelte/reactivity';

export class Folds {
  #open = new SvelteSet<string>();

  isOpen(requestId: string, key: string): boolean {
    return this.#open.has(`${requestId} ${key}`);
  }

  open(requestId: string, key: string): void {
    this.#open.add(`${requestId} ${key}`);
  }

  toggle(requestId: string, key: string): void {
    if (!this.#open.delete(`${requestId} ${key}`)) this.open(requestId, key);
  }
}
