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

/** Chords act wherever the keyboard is, so they are taken before any control sees them. */
export function onChord(orion: OrionWindow, event: KeyboardEvent): void {
  if ((MAC ? event.metaKey : event.ctrlKey) && !event.altKey && !event.shiftKey) act(event, chordOf(orion, event.key.toLowerCase()));
}

/** Single keys belong to the control that has the keyboard, and to the window only when that leaves them. */
export function onKey(orion: OrionWindow, event: KeyboardEvent): void {
  if (!event.isComposing && !event.defaultPrevented && orion.overlay.kind === 'none') act(event, keyOf(orion, event));
}

function act(event: KeyboardEvent, action: (() => void) | null): void {
  if (!action) return;
  event.preventDefault();
  event.stopPropagation();
  action();
}

function chordOf(orion: OrionWindow, key: string): (() => void) | null {
  const { projectId } = orion;
  switch (key) {
    case 'k':
      return () => (orion.overlay = orion.overlay.kind === 'palette' ? { kind: 'none' } : { kind: 'palette' });
    case 'o':
      return () => void orion.openProject();
    case 'b':
      return () => orion.toggle('sidebar');
    case 'j':
      return () => orion.toggle('panel');
    case 'n':
      return () => projectId !== null && orion.newChat(projectId);
    case ',':
      return () => (orion.overlay = { kind: 'settings' });
    default:
      return null;
  }
}

function keyOf(orion: OrionWindow, event: KeyboardEvent): (() => void) | null {
  if (event.key === 'Escape') {
    if (orion.drawer !== 'none') return () => (orion.drawer = 'none');
    return orion.running ? () => orion.stop() : null;
  }
  return event.key === '?' && !typing(event.target) ? () => (orion.overlay = { kind: 'shortcuts' }) : null;
}
