// The first script: it lets the shell of index.html be painted before the window's own script takes the thread.

import './styles/tokens.css';
import './styles/shell.css';
import { applyTheme, keptPreferences } from '$lib/app/kept';

/** A window that nobody sees has no frames, and is opened all the same. */
const FRAME_MS = 100;

applyTheme(keptPreferences().theme);
await Promise.race([
  new Promise((painted) => requestAnimationFrame(() => setTimeout(painted))),
  new Promise((waited) => setTimeout(waited, FRAME_MS)),
]);
await import('./open');
