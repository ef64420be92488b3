/** A window that nobody sees has no frames; it goes on all the same. */
const FRAME_MS = 100;

/** Once what was last changed has been painted, or would have been. */
export async function painted(): Promise<void> {
  await Promise.race([
    new Promise((seen) => requestAnimationFrame(() => setTimeout(seen))),
    new Promise((waited) => setTimeout(waited, FRAME_MS)),
  ]);
}
