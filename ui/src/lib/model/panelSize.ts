// How the chat and the side panel share their room, in percent of it, until a person drags the border. Pure.

/** What the panel has in it: a difference, a trace, or a list. */
export type Holds = 'diff' | 'trace' | 'list';

/** Pixels below which the chat's buttons and the panel's lines would be cut. */
const LEAST = { chat: 400, panel: 280 };

/** Parts of the room, and pixels between which the panel stays: a difference has about 64 characters, a bar has room for its parts. */
const SIZES: Record<Holds, { part: number; from: number; to: number }> = {
  diff: { part: 0.54, from: 320, to: 760 },
  trace: { part: 0.42, from: 320, to: 560 },
  list: { part: 0, from: 320, to: 320 },
};

/** `room`: pixels of both together. */
export function panelShare(holds: Holds, room: number): number {
  const { part, from, to } = SIZES[holds];
  return share(Math.min(Math.max(room * part, from), to), room);
}

export function leastShares(room: number): { chat: number; panel: number } {
  // Where there is too little for both, each has half.
  return { chat: Math.min(share(LEAST.chat, room), 50), panel: Math.min(share(LEAST.panel, room), 50) };
}

function share(pixels: number, room: number): number {
  return room <= 0 ? 0 : Math.min((pixels / room) * 100, 100);
}
