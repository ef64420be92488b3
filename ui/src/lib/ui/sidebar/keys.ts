// The keys of the list of sessions: arrows, Home and End move, letters find, F2 renames, Delete asks.

import type { Stop } from '$lib/model/sidebar';
import { moved, type Roving } from './roving.svelte';

interface List {
  stops: readonly Stop[];
  /** Where the keyboard is. */
  stop: Stop;
  roving: Roving;
  filtered: boolean;
  focus: (key: string | null) => Promise<void>;
  run: (stop: Stop) => void;
  /** Asks whether to delete. */
  ask: () => void;
  rename: () => void;
  openMenu: () => void;
}

/** A button or a field of an item has keys and clicks of its own. */
export function inControl(target: EventTarget | null): boolean {
  return target instanceof Element && (target.closest('button') ?? target.closest('input')) !== null;
}

export function onTreeKey(event: KeyboardEvent, list: List): void {
  const action = actionOf(event, list);
  if (!action) return;
  event.preventDefault();
  event.stopPropagation();
  action();
}

function actionOf(event: KeyboardEvent, list: List): (() => void) | null {
  const { stop, roving } = list;
  const { key, shiftKey, timeStamp } = event;
  const chord = event.ctrlKey || event.metaKey;
  if (event.altKey) return null;
  if (key === 'ContextMenu' || (key === 'F10' && shiftKey))
    return stop.kind === 'session' || stop.kind === 'project' ? list.openMenu : null;
  if (key === 'Escape') return roving.selected.size > 0 ? () => roving.clear() : null;
  if (key === ' ' && chord) return () => void roving.choose(list.stops, stop.key, { adds: true, reaches: false });
  if (key === 'Enter' && !chord && !shiftKey) return () => list.run(stop);
  if (key === ' ' && !roving.types(timeStamp)) return () => list.run(stop);
  if (key === 'F2') return stop.kind === 'session' ? list.rename : null;
  if (key === 'Delete') return list.ask;
  return chord ? null : (moving(key, shiftKey, list) ?? finding(key, timeStamp, list));
}

function moving(key: string, shiftKey: boolean, { stops, stop, roving, filtered, focus }: List): (() => void) | null {
  const folds = stop.kind === 'project' || stop.kind === 'archive';
  if (folds && !filtered && key === 'ArrowRight' && !stop.open) return () => roving.fold(stop.key, true);
  if (folds && !filtered && key === 'ArrowLeft' && stop.open) return () => roving.fold(stop.key, false);
  const to = moved(stops, stop.key, key);
  if (to === null) return /^Arrow/.test(key) ? () => {} : null;
  if (!shiftKey || !(key === 'ArrowUp' || key === 'ArrowDown' || key === 'Home' || key === 'End'))
    return () => void focus(to);
  return () => {
    roving.choose(stops, to, { adds: false, reaches: true });
    void focus(to);
  };
}

function finding(key: string, atMs: number, { stops, roving, focus }: List): (() => void) | null {
  const isLetter = /^[\p{L}\p{N} ]$/u.test(key);
  return isLetter ? () => void focus(roving.typed(stops, key, atMs)) : null;
}
