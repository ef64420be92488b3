// What this window keeps from last time, in localStorage: theme and which panels are open. Not here: what follows from a change
// (preferences.svelte.ts).

import type { Holds } from '$lib/model/panelSize';
import type { Scale } from '$lib/model/timeline/axis';

export type Theme = 'system' | 'light' | 'dark';
export type PanelTab = 'trace' | 'diff' | 'changes' | 'files';
export type TraceView = 'timeline' | 'list';
export type DiffView = 'unified' | 'split';

const KEY = 'orion.preferences';

export interface Kept {
  theme: Theme;
  sidebar: boolean;
  panel: boolean;
  tab: PanelTab;
  /** Shares of the side panel that a person gave it, in percent, by what is in it. */
  sizes: Partial<Record<Holds, number>>;
  /** The preview of a write takes the whole centre when it opens. */
  wide: boolean;
  diff: DiffView;
  trace: TraceView;
  /** The person has seen the tour to its end. */
  toured: boolean;
  /** The axis of the timeline. */
  scale: Scale;
}

const DEFAULTS: Kept = { theme: 'system', sidebar: true, panel: false, tab: 'trace', sizes: {}, wide: false, diff: 'unified', trace: 'timeline', toured: false, scale: 'step' };

export function keptPreferences(): Kept {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    return { ...DEFAULTS, ...(typeof kept === 'object' ? kept : {}) };
  } catch {
    return DEFAULTS;
  }
}

export function keep(preferences: Kept): void {
  const text = JSON.stringify(preferences);
  try {
    localStorage.setItem(KEY, text);
  } catch {
    // Without storage the choices last as long as the window.
  }
}

export function applyTheme(theme: Theme): void {
  if (theme === 'system') document.documentElement.removeAttribute('data-theme');
  else document.documentElement.dataset.theme = theme;
}
