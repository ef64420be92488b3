// The stretch of an axis that is looked at. Pure: no pixels but those it is given.

export interface View {
  from: number;
  to: number;
}

/** The closest look: a stretch of this share of the axis. */
const CLOSEST = 1 / 20_000;

export function clamp(view: View, total: number): View {
  const whole = Math.max(total, Number.MIN_VALUE);
  const width = Math.min(Math.max(view.to - view.from, whole * CLOSEST), whole);
  const from = Math.min(Math.max(view.from, 0), whole - width);
  return { from, to: from + width };
}

/** Looks `factor` times closer; what is at `anchor` stays where it is. */
export function zoom(view: View, factor: number, anchor: number, total: number): View {
  const width = Math.min(Math.max((view.to - view.from) / factor, total * CLOSEST), total);
  const share = view.to === view.from ? 0.5 : (anchor - view.from) / (view.to - view.from);
  const from = anchor - share * width;
  return clamp({ from, to: from + width }, total);
}

export function pan(view: View, by: number, total: number): View {
  return clamp({ from: view.from + by, to: view.to + by }, total);
}

/** Moves as little as shows the stretch; one that is longer than the view shows its beginning. */
export function reveal(view: View, from: number, to: number, total: number): View {
  const width = view.to - view.from;
  if (from >= view.from && to <= view.to) return view;
  const margin = width * 0.1;
  return clamp(
    to - from > width - margin || from < view.from
      ? { from: from - margin, to: from - margin + width }
      : { from: to + margin - width, to: to + margin },
    total,
  );
}
