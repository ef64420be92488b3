// The two sides of the window, and the preview that may take the place of the conversation. Not here: what is in them (ui/).

import { preferences } from './preferences.svelte';

export type Side = 'sidebar' | 'panel';

export class Sides {
  /** Below 900 px both sides are drawers, and at most one is open. */
  narrow = $state(false);
  drawer: 'none' | Side = $state('none');
  /** The preview of a write takes the place of the conversation. */
  wide = $state(false);

  toggle(side: Side): void {
    if (side === 'panel' && this.wide) this.wide = false;
    else if (this.narrow) this.drawer = this.drawer === side ? 'none' : side;
    else preferences[side] = !preferences[side];
  }

  shows(side: Side): boolean {
    if (side === 'panel' && this.wide) return false;
    return this.narrow ? this.drawer === side : preferences[side];
  }
}
