// The time, once a second, only while somebody looks at it: an idle window wakes for nothing.

export class Clock {
  nowMs = $state(Date.now());

  constructor(wanted: () => boolean) {
    $effect(() => {
      if (!wanted()) return;
      this.nowMs = Date.now();
      const timer = setInterval(() => (this.nowMs = Date.now()), 1_000);
      return () => clearInterval(timer);
    });
  }
}
