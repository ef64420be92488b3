// What belongs to this window alone and not to the core: theme and which panels are open. Kept in localStorage.

export type Theme = 'system' | 'light' | 'dark';
export type PanelTab = 'trace' | 'diff' | 'files';
export type DiffView = 'unified' | 'split';

const KEY = 'orion.preferences';

interface Kept {
  theme: Theme;
  sidebar: boolean;
  panel: boolean;
  tab: PanelTab;
  /** The preview of a write takes the whole centre when it opens. */
  wide: boolean;
  diff: DiffView;
}

const DEFAULTS: Kept = { theme: 'system', sidebar: true, panel: true, tab: 'trace', wide: false, diff: 'unified' };

function read(): Kept {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    return { ...DEFAULTS, ...(typeof kept === 'object' ? kept : {}) };
  } catch {
    return DEFAULTS;
  }
}

export const preferences: Kept = $state(read());

/** Keeps changes and applies the theme; call once, from the root component's initialisation. */
export function keepPreferences(): void {
  $effect(() => {
    const text = JSON.stringify(preferences);
    try {
      localStorage.setItem(KEY, text);
    } catch {
      // Without storage the choices last as long as the window.
    }
  });
  $effect(() => {
    if (preferences.theme === 'system') document.documentElement.removeAttribute('data-theme');
    else document.documentElement.dataset.theme = preferences.theme;
  });
}
