// Which stretch of the timeline is looked at, and how a person changes that: wheel, drag, pinch. Not here: what there is to see.

import { clamp, pan, reveal, type View, zoom } from '$lib/model/timeline/view';

/** Pixels that a pointer moves before it drags. */
const DRAG_PX = 4;
const WHEEL_STEP = 0.0022;
const WHEEL_MOST = 120;

interface Drag {
  fromX: number;
  x: number;
  from: View;
  /** On the axis a drag chooses the stretch to look at; on the bars it moves them. */
  chooses: boolean;
  moved: boolean;
}

export class Looking {
  /** Null while all of it is in view. */
  #stretch: View | null = $state.raw(null);
  #drag: Drag | null = $state.raw(null);
  #pointers = new Map<number, number>();

  constructor(
    private readonly total: () => number,
    private readonly width: () => number,
  ) {}

  view: View = $derived.by(() => (this.#stretch ? clamp(this.#stretch, this.total()) : { from: 0, to: this.total() }));
  whole = $derived(this.#stretch === null);
  /** The stretch that is being chosen, in pixels. */
  chosen: { from: number; to: number } | null = $derived(
    this.#drag?.chooses && this.#drag.moved
      ? { from: Math.min(this.#drag.fromX, this.#drag.x), to: Math.max(this.#drag.fromX, this.#drag.x) }
      : null,
  );

  fit = (): void => {
    this.#stretch = null;
  };

  zoomBy(factor: number, x = this.width() / 2): void {
    this.#set(zoom(this.view, factor, this.#placeAt(x), this.total()));
  }

  panBy(pixels: number): void {
    this.#set(pan(this.view, this.#places(pixels), this.total()));
  }

  look(view: View): void {
    this.#set(clamp(view, this.total()));
  }

  reveal(from: number, to: number): void {
    if (this.#stretch) this.#set(reveal(this.view, from, to, this.total()));
  }

  /** True when the wheel was used up: held with Ctrl, as by a pinch, and anywhere on the axis, it zooms; to the side it moves. */
  wheel(event: WheelEvent, x: number, onAxis: boolean): boolean {
    const sideways = event.shiftKey
      ? event.deltaY || event.deltaX
      : Math.abs(event.deltaX) > Math.abs(event.deltaY)
        ? event.deltaX
        : 0;
    if (event.ctrlKey || event.metaKey || (onAxis && sideways === 0)) {
      const by = Math.max(-WHEEL_MOST, Math.min(WHEEL_MOST, event.deltaY));
      this.zoomBy(Math.exp(-by * WHEEL_STEP * (event.ctrlKey ? 3 : 1)), x);
      return true;
    }
    if (sideways === 0) return false;
    this.panBy(sideways);
    return true;
  }

  down(id: number, x: number, chooses: boolean): void {
    this.#pointers.set(id, x);
    this.#drag = this.#pointers.size === 1 ? { fromX: x, x, from: this.view, chooses, moved: false } : null;
  }

  /** True while it drags or pinches. */
  move(id: number, x: number): boolean {
    const before = this.#pointers.get(id);
    if (before === undefined) return false;
    if (this.#pointers.size === 2) {
      const other = [...this.#pointers].find(([key]) => key !== id)?.[1] ?? x;
      const apart = Math.abs(before - other);
      this.#pointers.set(id, x);
      if (apart > 0) this.zoomBy(Math.abs(x - other) / apart, (x + other) / 2);
      return true;
    }
    this.#pointers.set(id, x);
    const drag = this.#drag;
    if (!drag) return false;
    const moved = drag.moved || Math.abs(x - drag.fromX) >= DRAG_PX;
    this.#drag = { ...drag, x, moved };
    if (moved && !drag.chooses) this.#set(pan(drag.from, this.#places(drag.fromX - x), this.total()));
    return moved;
  }

  /** True when it was a drag, and no click. */
  up(id: number): boolean {
    const drag = this.#drag;
    this.#pointers.delete(id);
    this.#drag = null;
    if (!drag?.moved) return false;
    if (drag.chooses)
      this.#set({ from: this.#placeAt(Math.min(drag.fromX, drag.x)), to: this.#placeAt(Math.max(drag.fromX, drag.x)) });
    return true;
  }

  #placeAt(x: number): number {
    return this.view.from + this.#places(x);
  }

  #places(pixels: number): number {
    return (pixels / Math.max(this.width(), 1)) * (this.view.to - this.view.from);
  }

  #set(view: View): void {
    const next = clamp(view, this.total());
    this.#stretch = next.to - next.from >= this.total() * 0.999 ? null : next;
  }
}
