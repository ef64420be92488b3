// How the chat and the side panel share their room, in percent of it, until a person drags the border. Pure.

/** Pixels below which the chat's buttons and the panel's lines would be cut. */
const LEAST = { chat: 400, panel: 280 };

/** The part of the room that the panel takes, and the pixels between which it stays: a bar of the timeline has room for its parts. */
const SIZE = { part: 0.42, from: 320, to: 560 };

/** `room`: pixels of both together. */
export function panelShare(room: number): number {
  return share(Math.min(Math.max(room * SIZE.part, SIZE.from), SIZE.to), room);
}

export function leastShares(room: number): { chat: number; panel: number } {
  // Where there is too little for both, each has half.
  return { chat: Math.min(share(LEAST.chat, room), 50), panel: Math.min(share(LEAST.panel, room), 50) };
}

function share(pixels: number, room: number): number {
  return room <= 0 ? 0 : Math.min((pixels / room) * 100, 100);
}
