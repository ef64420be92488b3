// Holds an answer back until a person can have seen what it answers: a click or a key that was meant for what stood there before does nothing.
// Not here: the button, which is drawn disabled meanwhile.

/** Milliseconds in which nobody has seen anything yet. Source: a person takes 200 to 600 ms to notice what has changed and to stop a press that is begun. */
const UNSEEN_MS = 700;

/** No question is this one. */
const NOTHING = Symbol('nothing');

export class Guard {
  #seen: unknown = $state.raw(NOTHING);
  /** True once this question was there long enough, and all of it that has to be is drawn. */
  ready: boolean = $derived.by(() => this.#seen === this.of() && this.drawn());

  /** `of`: what is asked; with another question the time begins anew. Call it while a component is made. */
  constructor(
    private readonly of: () => unknown,
    private readonly drawn: () => boolean = () => true,
  ) {
    $effect(() => {
      const asked = of();
      const timer = setTimeout(() => (this.#seen = asked), UNSEEN_MS);
      return () => {
        clearTimeout(timer);
        this.#seen = NOTHING;
      };
    });
  }
}
