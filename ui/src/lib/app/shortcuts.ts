// The window's keys: one table, which the shortcut list, the palette and the listener all read.

import type { OrionWindow } from './window.svelte';

export interface Shortcut {
  keys: string;
  label: string;
}

const MAC = navigator.userAgent.includes('Mac');
const MOD = MAC ? '⌘' : 'Ctrl';

export const SHORTCUTS = {
  send: { keys: 'Enter', label: 'Send the message, or queue it while a turn runs' },
  steer: { keys: `${MOD}+Enter`, label: 'In the message box: give the message to the turn that runs' },
  newline: { keys: 'Shift+Enter', label: 'New line' },
  continue: { keys: `${MOD}+E`, label: 'Continue with a fresh budget' },
  stop: { keys: 'Esc', label: 'Stop the turn' },
  palette: { keys: `${MOD}+K`, label: 'Go to anything' },
  folder: { keys: `${MOD}+O`, label: 'Open a folder' },
  newChat: { keys: `${MOD}+N`, label: 'New chat' },
  sidebar: { keys: `${MOD}+B`, label: 'Show or hide the sidebar' },
  panel: { keys: `${MOD}+J`, label: 'Show or hide the side panel' },
  review: { keys: `${MOD}+D`, label: 'Go to the preview of a write' },
  next: { keys: 'n', label: 'Next change (or j)' },
  previous: { keys: 'p', label: 'Previous change (or k)' },
  accept: { keys: 'a', label: 'Accept the change' },
  rejectChange: { keys: 'x', label: 'Reject the change' },
  approve: { keys: `${MOD}+Enter`, label: 'Approve the write' },
  settings: { keys: `${MOD}+,`, label: 'Settings' },
  help: { keys: '?', label: 'List the shortcuts' },
} satisfies Record<string, Shortcut>;

function typing(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

/** The person is writing something that is not to be lost sight of. */
function writes(target: EventTarget | null): boolean {
  return (target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type === 'text')) && target.value !== '';
}

/** Chords act wherever the keyboard is, so they are taken before any control sees them; and once, however long they are held. */
export function onChord(orion: OrionWindow, event: KeyboardEvent): void {
  if (!(MAC ? event.metaKey : event.ctrlKey) || event.altKey || event.shiftKey) return;
  const action = chordOf(orion, event);
  act(event, action && (event.repeat || isCovered(orion, event)) ? () => {} : action);
}

/** True when something lies over the window and has the keyboard. A question wants its answer; from all else one can go on. */
function isCovered({ overlay }: OrionWindow, { key, target }: KeyboardEvent): boolean {
  const over = target instanceof Element ? target.closest('[role=menu], [role=listbox], [role=dialog], [role=alertdialog]') : null;
  if (over?.matches('[role=alertdialog]')) return true;
  return (over !== null || overlay.kind !== 'none') && key.toLowerCase() !== 'k' && key !== ',';
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

function chordOf(orion: OrionWindow, event: KeyboardEvent): (() => void) | null {
  const { projectId, review } = orion;
  switch (event.key.toLowerCase()) {
    case 'd':
      return review.shown ? () => review.show(review.asked ?? review.chosen, true) : null;
    case 'enter':
      return review.approval !== null && !isCovered(orion, event) && !typing(event.target) ? () => void review.approve() : null;
    case 'e':
      return orion.continues ? () => orion.continueFresh() : null;
    case 'k':
      return () => (orion.overlay = orion.overlay.kind === 'palette' ? { kind: 'none' } : { kind: 'palette' });
    case 'o':
      return () => void orion.openProject();
    case 'b':
      return () => orion.sides.toggle('sidebar');
    case 'j':
      return () => orion.sides.toggle('panel');
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
    if (orion.sides.drawer !== 'none') return () => (orion.sides.drawer = 'none');
    if (orion.sides.wide) return () => (orion.sides.wide = false);
    // A turn that waits for a decision is not stopped by a key, nor is one beside a text that is being written; Stop is a button then.
    const { running, review } = orion;
    return running && !running.pause && !running.questioning && !review.asked && !writes(event.target) ? () => void orion.stop() : null;
  }
  if (typing(event.target) || isCovered(orion, event) || event.ctrlKey || event.metaKey || event.altKey) return null;
  return event.key === '?' ? () => (orion.overlay = { kind: 'shortcuts' }) : reviewKey(orion, event);
}

/** The keys of the preview, while it has the keyboard: elsewhere a letter may be part of a word. */
function reviewKey({ review }: OrionWindow, { key, target }: KeyboardEvent): (() => void) | null {
  const within = target instanceof Element && target.closest('[data-keys=review]');
  if (!within || review.editing) return null;
  switch (key) {
    case 'n':
    case 'j':
      return () => review.go(1);
    case 'p':
    case 'k':
      return () => review.go(-1);
    case 'a':
      return review.asks ? () => review.decideCurrent(true) : null;
    case 'x':
      return review.asks ? () => review.decideCurrent(false) : null;
    default:
      return null;
  }
}
