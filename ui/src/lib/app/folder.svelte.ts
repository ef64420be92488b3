// What the window knows of the open project's folder: which files there are, the one that is looked at, first messages about them, and
// other programs that show them.

import { ask } from '$lib/backend/backend';
import type { External } from '$lib/generated/External';
import type { FileEntry } from '$lib/generated/FileEntry';
import type { FolderFound } from '$lib/generated/FolderFound';
import type { NamedFile } from '$lib/generated/NamedFile';
import type { PictureView } from '$lib/generated/PictureView';
import type { Suggestion } from '$lib/generated/Suggestion';
import type { Leads } from '$lib/markdown/leads';
import { KnownFiles } from './known.svelte';
import { preferences } from './preferences.svelte';
import { Viewed } from './viewed.svelte';
import type { OrionWindow } from './window.svelte';

/** Files that are offered at once. */
const FOUND = 10;

/** First messages for a folder, and what was found in it; null where nobody could look. */
export interface Suggested {
  suggestions: readonly Suggestion[];
  found: FolderFound | null;
}

export interface FoundFiles {
  files: readonly FileEntry[];
  /** The names of the folder are still being read. */
  partial: boolean;
}

export class Folder implements Leads {
  /** The file that the panel shows; null for the list of files. */
  viewed: Viewed | null = $state.raw(null);
  /** Grows when the viewer should have the keyboard. */
  focusRequests = $state(0);
  #known: KnownFiles;
  #back: HTMLElement | null = null;

  constructor(private readonly orion: OrionWindow) {
    this.#known = new KnownFiles(async (paths) => {
      const projectId = this.#projectId;
      return projectId === null ? [] : (await ask(orion.backend, { type: 'paths', projectId, paths })).files;
    });
  }

  /** Another project is shown. */
  leave(): void {
    this.viewed = null;
    this.#known.forget();
  }

  /** Files of the project changed on disk. */
  changed(): void {
    this.#known.changed();
    if (this.viewed) this.#look(this.viewed.path, this.viewed.line);
  }

  fileOf(path: string): string | null {
    return this.#projectId === null ? null : this.#known.of(path);
  }

  /** Files and folders whose path fits what is typed, the best first. Rejects with an `ErrorInfo`. */
  async find(filter: string): Promise<FoundFiles> {
    const projectId = this.#projectId;
    return projectId === null
      ? { files: [], partial: false }
      : await ask(this.orion.backend, { type: 'find_files', projectId, filter, limit: FOUND });
  }

  /** What a message names, as it would come with it now. Rejects with an `ErrorInfo`. */
  async namedIn(text: string): Promise<readonly NamedFile[]> {
    const projectId = this.#projectId;
    return projectId === null ? [] : (await ask(this.orion.backend, { type: 'mentions', projectId, text })).files;
  }

  openLink(address: string): void {
    this.#open({ type: 'link', address });
  }

  openFile(path: string, line: number | null): void {
    this.#back = document.activeElement instanceof HTMLElement ? document.activeElement : null;
    this.#look(path, line);
    preferences.tab = 'files';
    if (!this.orion.sides.shows('panel')) this.orion.sides.toggle('panel');
    this.focusRequests += 1;
  }

  async picture(path: string): Promise<PictureView> {
    const projectId = this.#projectId;
    if (projectId === null) throw new Error('No folder is open.');
    return (await ask(this.orion.backend, { type: 'picture', projectId, path })).picture;
  }

  /** Back to the list of files; the keyboard goes back to where the file was opened from. */
  close(): void {
    this.viewed = null;
    if (this.#back?.isConnected) this.#back.focus();
    this.#back = null;
  }

  reveal(path: string): void {
    if (this.#projectId !== null) this.#open({ type: 'file_manager', projectId: this.#projectId, path });
  }

  edit(path: string, line: number | null): void {
    if (this.#projectId !== null) this.#open({ type: 'editor', projectId: this.#projectId, path, line });
  }

  async suggestionsFor(projectId: string): Promise<Suggested> {
    try {
      return await ask(this.orion.backend, { type: 'suggestions', projectId });
    } catch (thrown) {
      this.orion.problem(thrown);
      return { suggestions: [], found: null };
    }
  }

  /** Null for the project of imported sessions, which has no folder. */
  get #projectId(): string | null {
    const { project } = this.orion;
    return project?.path ? project.projectId : null;
  }

  #look(path: string, line: number | null): void {
    const projectId = this.#projectId;
    if (projectId === null) return;
    this.viewed = new Viewed(
      path,
      line,
      async (from, count) => (await ask(this.orion.backend, { type: 'file_lines', projectId, path, from, count })).file,
      () => this.picture(path),
    );
  }

  #open(what: External): void {
    void this.orion.submit({ type: 'open_external', what });
  }
}
