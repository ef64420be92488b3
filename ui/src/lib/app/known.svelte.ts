// Which paths in texts are files of the open project. Asked for together, and again when files have changed.

import { SvelteMap } from 'svelte/reactivity';

/** Paths of one question. Source: the limit that `Query::Paths` documents. */
const MOST = 200;
/** Paths that are remembered; beyond that, those known longest are forgotten. */
const REMEMBERED = 2_000;
/** Pause in which further paths join a question. */
const GATHER_MS = 30;
/** Pause before files that were not there are looked for again: a build changes many at once. */
const AGAIN_MS = 1_000;

export class KnownFiles {
  #known = new SvelteMap<string, string | null>();
  #wanted = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #again: ReturnType<typeof setTimeout> | undefined;
  /** Grows when what is under way is about another project. */
  #asks = 0;

  /** `look`: for each path what the project calls the file, or null. */
  constructor(private readonly look: (paths: string[]) => Promise<readonly (string | null)[]>) {}

  /** What the project calls the file; null while that is not known, and where there is none. */
  of(path: string): string | null {
    const known = this.#known.get(path);
    if (known === undefined && !this.#wanted.has(path)) {
      this.#wanted.add(path);
      this.#timer ??= setTimeout(() => void this.#ask(), GATHER_MS);
    }
    return known ?? null;
  }

  /** Another project is open. */
  forget(): void {
    this.#asks += 1;
    this.#wanted.clear();
    this.#known.clear();
  }

  /** Files have changed: those that were not there may be now. */
  changed(): void {
    this.#again ??= setTimeout(() => {
      this.#again = undefined;
      for (const [path, file] of this.#known) if (file === null) this.#known.delete(path);
    }, AGAIN_MS);
  }

  async #ask(): Promise<void> {
    this.#timer = undefined;
    const asked = this.#asks;
    const paths = [...this.#wanted].slice(0, MOST);
    for (const path of paths) this.#wanted.delete(path);
    if (this.#wanted.size > 0) this.#timer = setTimeout(() => void this.#ask(), GATHER_MS);
    // Without an answer a path is plain text.
    const files = await this.look(paths).catch(() => []);
    if (asked !== this.#asks) return;
    for (const [index, path] of paths.entries()) this.#known.set(path, files[index] ?? null);
    for (const path of this.#known.keys()) {
      if (this.#known.size <= REMEMBERED) break;
      this.#known.delete(path);
    }
  }
}
