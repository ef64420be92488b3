// The files that one command changed, as far as they are not undone (C6). Not here: how they look (ui/chat).

import type { ChangesOf } from '$lib/generated/ChangesOf';
import { Differences } from './differences.svelte';
import type { OrionWindow } from './window.svelte';

export class CommandChanges extends Differences {
  constructor(
    orion: OrionWindow,
    readonly requestId: string,
    readonly toolCallId: string,
  ) {
    super(orion);
  }

  get of(): ChangesOf {
    return { type: 'command', requestId: this.requestId, toolCallId: this.toolCallId };
  }

  /** Changes when the list has to be asked for again. */
  get key(): string {
    const { filesRevision, model } = this.orion;
    return JSON.stringify([filesRevision, model.aftermathRevision]);
  }

  /** It can be put back as it was. */
  canUndo(path: string): boolean {
    return this.files?.some((file) => file.path === path && file.kept === null) ?? false;
  }

  /** It was put back, or something else was done with it since by Orion. */
  isUndone(path: string): boolean {
    return this.files !== null && !this.files.some((file) => file.path === path);
  }
}
