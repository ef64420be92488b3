// What this window keeps from last time, in localStorage: theme and which panels are open. Not here: what follows from a change
// (preferences.svelte.ts).

import type { Scale } from '$lib/model/timeline/axis';

export type Theme = 'system' | 'light' | 'dark';
export type TextSize = 'small' | 'medium' | 'large' | 'largest';
export type PanelTab = (typeof TABS)[number];
export type TraceView = 'timeline' | 'list';
export type DiffView = 'unified' | 'split';

const KEY = 'orion.preferences';

const TABS = ['trace', 'changes', 'files'] as const;

export interface Kept {
  theme: Theme;
  /** Of everything in the window: 1 is the usual size. */
  zoom: number;
  /** Of all text, beside the zoom. */
  textSize: TextSize;
  sidebar: boolean;
  panel: boolean;
  tab: PanelTab;
  /** The share of the side panel that a person gave it, in percent. */
  size: number | null;
  /** The preview of a write takes the whole centre when it opens. */
  wide: boolean;
  diff: DiffView;
  trace: TraceView;
  /** The person has seen the tour to its end. */
  toured: boolean;
  /** The axis of the timeline. */
  scale: Scale;
}

const DEFAULTS: Kept = {
  theme: 'system',
  zoom: 1,
  textSize: 'medium',
  sidebar: true,
  panel: false,
  tab: 'trace',
  size: null,
  wide: false,
  diff: 'unified',
  trace: 'timeline',
  toured: false,
  scale: 'step',
};

export function keptPreferences(): Kept {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    return sound(typeof kept === 'object' && kept !== null ? kept : {});
  } catch {
    // What cannot be read was kept by somebody else, or there is no storage: the window is as it was at first.
    return DEFAULTS;
  }
}

/** Sizes at which nothing could be read, or found again, are those of before; so is a tab that there is no more. */
function sound(said: Partial<Record<keyof Kept, unknown>>): Kept {
  const known = Object.entries(said).filter(([key]) => key in DEFAULTS);
  const kept: Kept = { ...DEFAULTS, ...Object.fromEntries(known) };
  const tabbed = TABS.includes(kept.tab);
  const zoom = typeof kept.zoom === 'number' && kept.zoom >= 0.5 && kept.zoom <= 2 ? kept.zoom : DEFAULTS.zoom;
  const textSize = Object.hasOwn(TEXT_SCALES, kept.textSize) ? kept.textSize : DEFAULTS.textSize;
  const size = typeof kept.size === 'number' && kept.size > 0 && kept.size < 100 ? kept.size : DEFAULTS.size;
  // A panel that an earlier version opened by itself, for a tab that there is no more, stays closed.
  const [tab, panel] = tabbed ? [kept.tab, kept.panel] : [DEFAULTS.tab, DEFAULTS.panel];
  return { ...kept, zoom, textSize, size, tab, panel };
}

export function keep(preferences: Kept): void {
  const text = JSON.stringify(preferences);
  try {
    localStorage.setItem(KEY, text);
  } catch {
    // Without storage the choices last as long as the window.
  }
}

/** How much larger than in the design text is. */
export const TEXT_SIZES: readonly TextSize[] = ['small', 'medium', 'large', 'largest'];

export const TEXT_SCALES: Readonly<Record<TextSize, number>> = { small: 0.925, medium: 1, large: 1.125, largest: 1.25 };

export function applyTextSize(size: TextSize): void {
  document.documentElement.style.setProperty('--text-scale', String(TEXT_SCALES[size]));
}

export function applyTheme(theme: Theme): void {
  if (theme === 'system') document.documentElement.removeAttribute('data-theme');
  else document.documentElement.dataset.theme = theme;
}
