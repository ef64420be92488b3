// The two sides of the window, and the preview that may take the place of the conversation. Not here: what is in them (ui/).

import { preferences } from './preferences.svelte';

export type Side = 'sidebar' | 'panel';

export class Sides {
  /** Below 900 px both sides are drawers, and at most one is open. */
  narrow = $state(false);
  drawer: 'none' | Side = $state('none');
  /** The preview of a write takes the place of the conversation. */
  wide = $state(false);
  /** The person opened the panel although nothing is in it. */
  #anyway = $state(false);

  /** `filled`: there is something in the panel. */
  constructor(private readonly filled: () => boolean) {}

  toggle(side: Side): void {
    const wide = side === 'panel' && this.wide;
    if (wide) this.wide = false;
    if (this.narrow) this.drawer = this.drawer === side && !wide ? 'none' : side;
    else if (side === 'panel') {
      preferences.panel = wide || !this.shows('panel');
      this.#anyway = preferences.panel;
    } else preferences.sidebar = !preferences.sidebar;
  }

  /** Another chat is shown. */
  leave(): void {
    this.drawer = 'none';
    this.wide = false;
    this.#anyway = false;
  }

  shows(side: Side): boolean {
    if (side === 'panel' && this.wide) return false;
    if (this.narrow) return this.drawer === side;
    return preferences[side] && (side === 'sidebar' || this.#anyway || this.filled());
  }
}
