// Where the keyboard is in the list of sessions, what is selected, and what is folded: one tab stop, and arrows inside.
// Not here: what a key does to a session, which the list knows.

import { keyOf, type Stop } from '$lib/model/sidebar';

/** Letters that come within this time are one word. */
const TYPED_MS = 700;

export class Roving {
  /** The stop that the tab key leads to. */
  active: string | null = $state(null);
  selected: ReadonlySet<string> = $state.raw(new Set<string>());
  /** Projects that are folded, and archives that are not. */
  #turned: ReadonlySet<string> = $state.raw(new Set<string>());
  /** A selection with Shift reaches from here. */
  #anchor: string | null = null;
  #typed = '';
  #typedAt = 0;

  isOpen = (key: string): boolean => this.#turned.has(key) === key.startsWith('archive ');

  fold(key: string, open: boolean): void {
    if (this.isOpen(key) !== open) this.#turned = toggled(this.#turned, key);
  }

  /** A click, or an arrow with Shift: what becomes of the selection. True when it has another meaning than to open. */
  choose(stops: readonly Stop[], key: string, { adds, reaches }: { adds: boolean; reaches: boolean }): boolean {
    const stop = stops.find((other) => other.key === key);
    if (stop?.kind !== 'session') return false;
    const { sessionId } = stop.session;
    if (reaches) {
      this.#anchor ??= this.active ?? key;
      const at = [this.#anchor, key].map((one) => stops.findIndex((other) => other.key === one));
      const between = stops.slice(Math.min(...at.map((index) => Math.max(index, 0))), Math.max(...at) + 1);
      this.selected = new Set(between.flatMap((one) => (one.kind === 'session' ? [one.session.sessionId] : [])));
    } else if (adds) {
      // What is open when one begins to select is the first of them.
      this.selected = toggled(this.selected, sessionId);
      this.#anchor = key;
    } else {
      this.clear();
      this.#anchor = key;
    }
    this.active = key;
    return reaches || adds;
  }

  clear(): void {
    if (this.selected.size > 0) this.selected = new Set();
    this.#anchor = null;
  }

  /** What an action on this session is about: all that are selected, if it is one of them. */
  meant(sessionId: string): string[] {
    return this.selected.has(sessionId) ? [...this.selected] : [sessionId];
  }

  /** The next stop whose name begins with what was typed; the one where the keyboard is only for a longer word. */
  typed(stops: readonly Stop[], letter: string, nowMs: number): string | null {
    this.#typed = nowMs - this.#typedAt < TYPED_MS ? this.#typed + letter.toLowerCase() : letter.toLowerCase();
    this.#typedAt = nowMs;
    const at = Math.max(
      stops.findIndex(({ key }) => key === this.active),
      0,
    );
    const from = this.#typed.length > 1 ? at : at + 1;
    const around = [...stops.slice(from), ...stops.slice(0, from)];
    return around.find(({ name }) => name.toLowerCase().startsWith(this.#typed))?.key ?? null;
  }

  /** True while a space is part of a word. */
  types(nowMs: number): boolean {
    return this.#typed !== '' && nowMs - this.#typedAt < TYPED_MS;
  }
}

/** Where a key of movement leads. */
export function moved(stops: readonly Stop[], active: string | null, key: string): string | null {
  const at = stops.findIndex((stop) => stop.key === active);
  const stop = stops[at];
  switch (key) {
    case 'ArrowDown':
      return stops[Math.min(at + 1, stops.length - 1)]?.key ?? null;
    case 'ArrowUp':
      return stops[Math.max(at - 1, 0)]?.key ?? null;
    case 'Home':
      return stops[0]?.key ?? null;
    case 'End':
      return stops.at(-1)?.key ?? null;
    case 'ArrowLeft':
      return stop && stop.kind !== 'project'
        ? (stops
            .slice(0, at)
            .findLast(
              ({ kind }) =>
                kind === 'project' || (kind === 'archive' && stop.kind === 'session' && stop.session.archived),
            )?.key ?? null)
        : null;
    case 'ArrowRight':
      return stop && (stop.kind === 'project' || stop.kind === 'archive') ? (stops[at + 1]?.key ?? null) : null;
    default:
      return null;
  }
}

function toggled(set: ReadonlySet<string>, value: string): Set<string> {
  const next = new Set(set);
  if (!next.delete(value)) next.add(value);
  return next;
}

export const sessionKey = (sessionId: string) => keyOf('session', sessionId);
