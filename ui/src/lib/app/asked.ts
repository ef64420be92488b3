// What the desktop's menu asks of the window. Not here: the folder that a second start names (window.svelte.ts).

import type { DesktopAction } from '$lib/generated/DesktopAction';
import type { Update } from '$lib/generated/Update';
import type { OrionWindow } from './window.svelte';

export class Asked {
  readonly #orion: OrionWindow;
  #waiting: DesktopAction[] = [];
  #open = false;

  constructor(orion: OrionWindow) {
    this.#orion = orion;
  }

  /** The window shows what the person did last, and would have replaced what is done before. */
  opened(): void {
    this.#open = true;
    this.#act();
  }

  take(updates: readonly Update[]): void {
    this.#waiting.push(...updates.flatMap((update) => (update.type === 'asked' ? [update.act] : [])));
    if (this.#open) this.#act();
  }

  /** Without a folder there is no chat to begin, and the window says how to open one. */
  #act(): void {
    const { projectId } = this.#orion;
    for (const act of this.#waiting.splice(0)) {
      if (act === 'open_folder') void this.#orion.openProject();
      else if (projectId !== null) this.#orion.newChat(projectId);
    }
  }
}
