// How long something takes, for tests.

/** The least of a few times, in milliseconds: whatever else the machine does only adds to it. */
export function quickest(work: () => void): number {
  const times = Array.from({ length: 5 }, () => {
    const began = performance.now();
    work();
    return performance.now() - began;
  });
  return Math.min(...times);
}
