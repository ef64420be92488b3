// The window's keys: one table, which the shortcut list, the palette and the listener all read.

import { words } from '$lib/words';
import { waitsForPerson } from '$lib/model/status';
import { escapeOf } from './escape';
import { primaryButton } from './primary.svelte';
import { zoomBy, zoomTo } from './zoom';
import type { OrionWindow } from './window.svelte';

export interface Shortcut {
  keys: string;
  label: string;
}

const say = words.shortcuts;
const MAC = navigator.userAgent.includes('Mac');
const MOD = MAC ? '⌘' : 'Ctrl';

export const SHORTCUTS = {
  send: { keys: 'Enter', label: say.send },
  primary: { keys: `${MOD}+Enter`, label: say.primary },
  steer: { keys: `${MAC ? '⌥' : 'Alt'}+Enter`, label: say.steer },
  newline: { keys: 'Shift+Enter', label: say.newline },
  continue: { keys: `${MOD}+E`, label: say.continue },
  stop: { keys: 'Esc', label: say.stop },
  palette: { keys: `${MOD}+K`, label: say.palette },
  find: { keys: `${MOD}+F`, label: say.find },
  findNext: { keys: 'Enter', label: say.findNext },
  findPrevious: { keys: 'Shift+Enter', label: say.findPrevious },
  folder: { keys: `${MOD}+O`, label: say.folder },
  newChat: { keys: `${MOD}+N`, label: say.newChat },
  sidebar: { keys: `${MOD}+B`, label: say.sidebar },
  panel: { keys: `${MOD}+J`, label: say.panel },
  review: { keys: `${MOD}+D`, label: say.review },
  next: { keys: 'n', label: say.next },
  previous: { keys: 'p', label: say.previous },
  accept: { keys: 'a', label: say.accept },
  rejectChange: { keys: 'x', label: say.rejectChange },
  zoomIn: { keys: `${MOD}++`, label: say.zoomIn },
  zoomOut: { keys: `${MOD}+−`, label: say.zoomOut },
  zoomReset: { keys: `${MOD}+0`, label: say.zoomReset },
  settings: { keys: `${MOD}+,`, label: say.settings },
  help: { keys: '?', label: say.help },
} satisfies Record<string, Shortcut>;

function typing(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** Fields of these types hold no text. */
const NO_TEXT = /^(button|checkbox|color|file|image|radio|range|reset|submit)$/;

/** The person is writing something that is not to be lost sight of. */
function writes(target: EventTarget | null): boolean {
  if (target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && !NO_TEXT.test(target.type)))
    return target.value !== '';
  return target instanceof HTMLElement && target.isContentEditable && target.textContent !== '';
}

/** Chords act wherever the keyboard is, so they are taken before any control sees them; and once, however long they are held. */
export function onChord(orion: OrionWindow, event: KeyboardEvent): void {
  if (!(MAC ? event.metaKey : event.ctrlKey) || event.altKey || event.isComposing) return;
  // A plus is a key with Shift on many keyboards.
  if (zooms(event)) return;
  if (event.shiftKey) return;
  const action = chordOf(orion, event);
  act(event, action && (event.repeat || isCovered(orion, event)) ? () => {} : action);
}

/** The size of everything: wherever the keyboard is, and over whatever lies over the window. */
function zooms(event: KeyboardEvent): boolean {
  const zoom = { '+': () => zoomBy(1), '=': () => zoomBy(1), '-': () => zoomBy(-1), '0': () => zoomTo(1) }[event.key];
  act(event, zoom ?? null);
  return zoom !== undefined;
}

/** True when something lies over the window and has the keyboard. A question wants its answer; from all else one can go on. */
function isCovered({ overlay }: OrionWindow, { key, target }: KeyboardEvent): boolean {
  const over =
    target instanceof Element ? target.closest('[role=menu], [role=listbox], [role=dialog], [role=alertdialog]') : null;
  if (over?.matches('[role=alertdialog]')) return true;
  // The whole trace has a field of its own.
  if (key.toLowerCase() === 'f' && target instanceof Element && target.closest('[data-find=trace]')) return false;
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
      return isCovered(orion, event) ? null : primary(orion, event.target);
    case 'e':
      return orion.continues ? () => orion.continueFresh() : null;
    case 'f':
      return () => orion.finding.open(event.target);
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

/**
 * The one button of what waits, from wherever the keyboard is. A text in the message box is not sent by it, so it might be meant for that: then it does
 * nothing, and the window says why. Where nothing waits, the message box has the key, and sends.
 */
function primary(orion: OrionWindow, target: EventTarget | null): (() => void) | null {
  if (!orion.running || !waitsForPerson(orion.running)) return null;
  if (orion.draft.trim() !== '') return () => orion.primary.hold();
  const button = primaryButton();
  // A text is sent with what it was written for, and with nothing else.
  if (writes(target) && !(button?.form && target instanceof Element && button.form.contains(target))) return null;
  return () => button?.click();
}

function keyOf(orion: OrionWindow, event: KeyboardEvent): (() => void) | null {
  if (event.key === 'Escape') {
    switch (escapeOf(orion)) {
      case 'drawer':
        return () => (orion.sides.drawer = 'none');
      case 'wide':
        return () => (orion.sides.wide = false);
      case 'difference':
        return () => orion.review.hide();
      case 'stop':
        // A turn beside a text that is being written is not stopped by a key; Stop is a button then.
        return writes(event.target) ? null : () => void orion.stop();
      case null:
        return null;
    }
  }
  if (event.key === 'F3' && orion.finding.finder) return () => orion.finding.finder?.step(event.shiftKey ? -1 : 1);
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
