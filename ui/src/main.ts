// The first script: it lets the shell of index.html be painted before the window's own script takes the thread.

import './styles/tokens.css';
import './styles/shell.css';
import { applyTheme, keptPreferences } from '$lib/app/kept';
import { painted } from '$lib/app/painted';

applyTheme(keptPreferences().theme);
await painted();
await import('./open');
