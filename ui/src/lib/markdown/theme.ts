// The theme of the window, for what draws in it. Where nobody provides it, it is that of the system.

import { getContext, setContext } from 'svelte';
import type { Theme } from '$lib/app/kept';

const KEY = Symbol('theme');

export const provideTheme = (theme: () => Theme): (() => Theme) => setContext(KEY, theme);
export const useTheme = (): (() => Theme) => getContext<(() => Theme) | undefined>(KEY) ?? (() => 'system');
