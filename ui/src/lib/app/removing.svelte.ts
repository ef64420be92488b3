// The files that commands made, that can run code later, and that a person removes (C2). What was removed is kept here, as long as the window is
// open: the box of a call forgets it when it is folded.

import { SvelteSet } from 'svelte/reactivity';
import { asErrorInfo } from '$lib/backend/backend';
import type { OrionWindow } from './window.svelte';

/** The new files of one call. */
export interface NewFiles {
  isRemoved: (path: string) => boolean;
  /** True when the file is gone; where it is not, the person sees why. */
  remove: (path: string) => Promise<boolean>;
}

export class Removing {
  #removed = new SvelteSet<string>();

  constructor(readonly orion: Pick<OrionWindow, 'backend' | 'problem'>) {}

  of(requestId: string, toolCallId: string): NewFiles {
    const key = (path: string) => JSON.stringify([requestId, toolCallId, path]);
    return {
      isRemoved: (path) => this.#removed.has(key(path)),
      remove: async (path) => {
        try {
          await this.orion.backend.submit({ type: 'remove_new', requestId, toolCallId, path });
        } catch (thrown) {
          // Another program was faster: the file is gone, as the person wanted.
          if (asErrorInfo(thrown).code !== 'path_not_found') {
            this.orion.problem(thrown);
            return false;
          }
        }
        this.#removed.add(key(path));
        return true;
      },
    };
  }
}
