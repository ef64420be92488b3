// The window's keys: one table, which the shortcut list, the palette and the listener all read.

import type { OrionWindow } from './window.svelte';

export interface Shortcut {
  keys: string;
  label: string;
}

const MAC = navigator.userAgent.includes('Mac');
const MOD = MAC ? '⌘' : 'Ctrl';

export const SHORTCUTS = {
  send: { keys: 'Enter', label: 'Send the message' },
  newline: { keys: 'Shift+Enter', label: 'New line' },
  stop: { keys: 'Esc', label: 'Stop the turn' },
  palette: { keys: `${MOD}+K`, label: 'Go to anything' },
  folder: { keys: `${MOD}+O`, label: 'Open a folder' },
  newChat: { keys: `${MOD}+N`, label: 'New chat' },
  sidebar: { keys: `${MOD}+B`, label: 'Show or hide the sidebar' },
  panel: { keys: `${MOD}+J`, label: 'Show or hide the side panel' },
  settings: { keys: `${MOD}+,`, label: 'Settings' },
  help: { keys: '?', label: 'List the shortcuts' },
} satisfies Record<string, Shortcut>;

function typing(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

export function onKey(orion: OrionWindow, event: KeyboardEvent): void {
  if (event.isComposing || event.defaultPrevented) return;
  const act = actionOf(orion, event);
  if (!act) return;
  event.preventDefault();
  act();
}

function actionOf(orion: OrionWindow, event: KeyboardEvent): (() => void) | null {
  const overlaid = orion.overlay.kind !== 'none';
  if ((MAC ? event.metaKey : event.ctrlKey) && !event.altKey && !event.shiftKey) {
    switch (event.key.toLowerCase()) {
      case 'k':
        return () => (orion.overlay = orion.overlay.kind === 'palette' ? { kind: 'none' } : { kind: 'palette' });
      case 'o':
        return () => void orion.openProject();
      case 'b':
        return () => orion.toggle('sidebar');
      case 'j':
        return () => orion.toggle('panel');
      case 'n':
        return () => orion.projectId !== null && orion.newChat(orion.projectId);
      case ',':
        return () => (orion.overlay = { kind: 'settings' });
      default:
        return null;
    }
  }
  if (overlaid) return null;
  if (event.key === 'Escape') {
    if (orion.drawer !== 'none') return () => (orion.drawer = 'none');
    return orion.running ? () => orion.stop() : null;
  }
  if (event.key === '?' && !typing(event.target)) return () => (orion.overlay = { kind: 'shortcuts' });
  return null;
}
