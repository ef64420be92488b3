// The size of everything in the window. It is kept; the shell of the app does the rest.

import { preferences } from './preferences.svelte';

/** The steps of Ctrl+plus and Ctrl+minus. */
export const ZOOMS = [0.5, 0.67, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2] as const;

export function zoomBy(steps: 1 | -1): void {
  const next =
    steps === 1 ? ZOOMS.find((zoom) => zoom > preferences.zoom) : ZOOMS.findLast((zoom) => zoom < preferences.zoom);
  if (next !== undefined) preferences.zoom = next;
}

export function zoomTo(zoom: number): void {
  preferences.zoom = zoom;
}
