// Going back through earlier messages with the arrow keys, from an empty field: Up to older ones, Down forward, Esc to the empty field.

export interface Caret {
  text: string;
  /** The caret is at the end of the text, and nothing is selected. */
  atEnd: boolean;
}

export class Recall {
  #messages: readonly string[] = [];
  /** The place of the message that is shown; -1 in the empty field. */
  #at = -1;

  /** Whether a key goes through the messages rather than through the text. */
  takes(key: string, { text, atEnd }: Caret): boolean {
    const shown = this.#at >= 0 && text === this.#messages[this.#at];
    if (text !== '' && !shown) this.#at = -1;
    if (key === 'Escape') return shown;
    if (key === 'ArrowUp') return text === '' || (shown && atEnd);
    return key === 'ArrowDown' && shown && atEnd;
  }

  /** The text that a key brings, of the messages that there are, the newest first. */
  go(key: string, messages: readonly string[]): string {
    if (this.#at < 0) this.#messages = messages;
    if (key === 'Escape') this.#at = -1;
    else if (key === 'ArrowUp') this.#at = Math.min(this.#at + 1, this.#messages.length - 1);
    else this.#at -= 1;
    return this.#messages[this.#at] ?? '';
  }

  /** The field is somewhere else now. */
  leave(): void {
    this.#at = -1;
  }
}
