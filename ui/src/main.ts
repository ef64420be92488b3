// The first script: it lets the shell of index.html be painted before the window's own script takes the thread.

import './styles/tokens.css';
import './styles/shell.css';
import { applyTextSize, applyTheme, keptPreferences } from '$lib/app/kept';
import { painted } from '$lib/app/painted';
import { applySystemFont } from '$lib/app/systemFont';

const kept = keptPreferences();
applyTheme(kept.theme);
applyTextSize(kept.textSize);
applySystemFont();
await painted();
await import('./open');
