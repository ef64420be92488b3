// The number of stops that a rail has room for: beside its turn, and in what can be seen. Where there are more, their marks would lie over each other or beside the
// next turn. Not here: which stops these are (model/rail.ts), and rails of few stops, which nobody measures.

import type { Attachment } from 'svelte/attachments';

/** Pixels: closer than this two stops do not come. */
const CLOSEST = 9;
/** Rows for the numbers at both ends, and for what is above the first stop. */
const ENDS = 3;
/** So many stops are as high as the shortest turn that has them. */
const ALWAYS = 8;
/** The least stops beside those that are left. */
const LEAST = 3;

export class RailRoom {
  #stops = $state(ALWAYS);

  /** A size changes after layout and before paint: nothing jumps. */
  #measure: Attachment<HTMLElement> = (rail) => {
    const region = rail.closest('[role=region]') ?? rail;
    const resized = new ResizeObserver(() => {
      const height = Math.min(rail.clientHeight, region.clientHeight - 2 * CLOSEST);
      this.#stops = Math.max(ALWAYS, Math.floor(height / CLOSEST) - ENDS);
    });
    resized.observe(rail);
    resized.observe(region);
    return () => resized.disconnect();
  };

  /** Measures a rail of so many stops and steps that are left. */
  of = (all: number): Attachment<HTMLElement> | undefined => (all > ALWAYS ? this.#measure : undefined);

  /** The number of stops that are shown. */
  for = (stops: number, ahead: number): number =>
    stops + ahead > ALWAYS ? Math.min(stops, Math.max(LEAST, this.#stops - ahead)) : stops;

  /** The height of so many where they are closest. */
  static height = (shown: number): number => (shown + 2) * CLOSEST;

  /** The least height of a turn for its rail. */
  static least = (shown: number): number => RailRoom.height(Math.min(shown, ALWAYS));
}
