// Which turns of a session follow which, and which of them lead to its tip (T9).

export class Branches {
  readonly #parents = new Map<string, string | null>();
  readonly #paths = new Map<string, string[]>();

  /** A turn begins. It follows the tip, or comes in the place of another one. */
  begin(sessionId: string, requestId: string, insteadOf: string | null = null): string | null {
    if (insteadOf !== null) this.goBefore(sessionId, insteadOf);
    const path = this.path(sessionId);
    const parent = path.at(-1) ?? null;
    this.#parents.set(requestId, parent);
    this.#paths.set(sessionId, [...path, requestId]);
    return parent;
  }

  path(sessionId: string): readonly string[] {
    return this.#paths.get(sessionId) ?? [];
  }

  /** The tip is the turn before this one now. */
  goBefore(sessionId: string, requestId: string): string | null {
    const parent = this.#parents.get(requestId) ?? null;
    this.#paths.set(sessionId, this.#to(parent));
    return parent;
  }

  /** Goes on with the branch that begins with this turn. Returns the new tip. */
  switch(sessionId: string, requestId: string): string {
    const tip = [...this.#parents.keys()].findLast((id) => this.#to(id).includes(requestId)) ?? requestId;
    this.#paths.set(sessionId, this.#to(tip));
    return tip;
  }

  /** The turns of a session that follow the same one, itself among them. */
  beside(turns: readonly string[], requestId: string): string[] {
    return turns.filter((id) => this.#parents.get(id) === this.#parents.get(requestId));
  }

  #to(tip: string | null): string[] {
    const path: string[] = [];
    for (let at = tip; at !== null; at = this.#parents.get(at) ?? null) path.unshift(at);
    return path;
  }
}
