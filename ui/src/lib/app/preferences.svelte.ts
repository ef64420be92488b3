// What belongs to this window alone and not to the core, as it is now. Not here: where it is kept (kept.ts).

import { applyTheme, keep, type Kept, keptPreferences } from './kept';

export type { DiffView, PanelTab, Theme } from './kept';

export const preferences: Kept = $state(keptPreferences());

/** Keeps changes and applies the theme; call once, from the root component's initialisation. */
export function keepPreferences(): void {
  $effect(() => keep(preferences));
  $effect(() => applyTheme(preferences.theme));
}
