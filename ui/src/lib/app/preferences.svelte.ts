// The preferences of this window, which the core does not know. Not here: where they are kept (kept.ts).

import type { Backend } from '$lib/backend/backend';
import { applyTextSize, applyTheme, keep, type Kept, keptPreferences } from './kept';

export type { DiffView, PanelTab, TextSize, Theme, TraceView } from './kept';

export const preferences: Kept = $state(keptPreferences());

/** Keeps changes and applies what the whole window shows; call once, from the root component's initialisation. */
export function keepPreferences(backend: Pick<Backend, 'zoom'>, onproblem: (thrown: unknown) => void): void {
  $effect(() => void backend.zoom(preferences.zoom).catch(onproblem));
  $effect(() => applyTextSize(preferences.textSize));
  $effect(() => keep(preferences));
  $effect(() => applyTheme(preferences.theme));
}
