// The memory that a session took, once another one is shown. WebKit collects what nothing refers to while its pages ask for memory, and next
// to nothing in an idle page: all of a long session would stay. Memory that is asked for and never written to makes WebKit collect, and takes
// none itself.

/** Bytes that are asked for at once, and how often: WebKit collects sooner the more it is asked for. */
const ASKED = 1 << 26;
const TIMES = 8;
/** How often WebKit is made to collect: what is freed first still holds the rest. */
const ROUNDS = 3;
/** Milliseconds before each. The next session is shown by then, and WebKit has collected what it was asked to. */
const PAUSE_MS = 1_500;

let timer: ReturnType<typeof setTimeout> | undefined;

/** Called when a session is left. While `isBusy`, the page has better things to do. */
export function collectSoon(isBusy: () => boolean, ask: () => void = askForMemory): void {
  clearTimeout(timer);
  const next = (left: number) => {
    timer = setTimeout(() => {
      if (isBusy()) return next(left);
      ask();
      if (left > 1) next(left - 1);
    }, PAUSE_MS);
  };
  next(ROUNDS);
}

function askForMemory(): void {
  // Chromium, which some systems have in the place of WebKit, collects by itself, and may count what is not written to. Unit tests have no window.
  if (typeof window === 'undefined' || 'chrome' in window) return;
  try {
    // Written so that a bundler, which knows what `new ArrayBuffer` does, leaves it in.
    for (let time = 0; time < TIMES; time++) Reflect.construct(ArrayBuffer, [ASKED]);
  } catch {
    // There is not even room to ask for: WebKit collects then as well.
  }
}
