// The preferences of this window, which the core does not know. Not here: where they are kept (kept.ts).

import { applyTheme, keep, type Kept, keptPreferences } from './kept';

export type { DiffView, PanelTab, Theme, TraceView } from './kept';

export const preferences: Kept = $state(keptPreferences());

/** Keeps changes and applies the theme; call once, from the root component's initialisation. */
export function keepPreferences(): void {
  $effect(() => keep(preferences));
  $effect(() => applyTheme(preferences.theme));
}
