/** A hidden window has no frames; the wait then ends after this time. */
const FRAME_MS = 100;

/** Resolves once the last change has been painted, or would have been. */
export async function painted(): Promise<void> {
  await Promise.race([
    new Promise((seen) => requestAnimationFrame(() => setTimeout(seen))),
    new Promise((waited) => setTimeout(waited, FRAME_MS)),
  ]);
}
