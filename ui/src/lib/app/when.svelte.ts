// Waiting for a state: resolves once it holds, or once it is of no use any more. Not here: waiting for a time.

/** True when `holds` does; false when `over` does first. */
export function when(holds: () => boolean, over: () => boolean): Promise<boolean> {
  return new Promise((resolve) => {
    const stop = $effect.root(() => {
      $effect(() => {
        const ended = over();
        if (!ended && !holds()) return;
        // The root is not there yet when it holds at once.
        queueMicrotask(() => stop());
        resolve(!ended);
      });
    });
  });
}
