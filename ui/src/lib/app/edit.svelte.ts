// The text of one write while a person changes it. It is kept until they use it or drop it, wherever they look meanwhile and
// whatever becomes of the write.

export class Edit {
  text = $state('');
  /** True once it has had the keyboard. */
  begun = false;

  constructor(
    readonly requestId: string,
    readonly write: number,
    /** The text as it was when the person began. */
    readonly proposed: string,
    /** How many changes the person had rejected by then: they are not in it. */
    readonly without: number,
  ) {
    this.text = proposed;
  }

  get changed(): boolean {
    return this.text !== this.proposed;
  }
}
