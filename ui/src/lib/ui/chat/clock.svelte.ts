// The time, once a second unless told otherwise, only while somebody looks at it: an idle window wakes for nothing.

export class Clock {
  nowMs = $state(Date.now());

  constructor(wanted: () => boolean, everyMs = 1_000) {
    $effect(() => {
      if (!wanted()) return;
      this.nowMs = Date.now();
      const timer = setInterval(() => (this.nowMs = Date.now()), everyMs);
      return () => clearInterval(timer);
    });
  }
}
