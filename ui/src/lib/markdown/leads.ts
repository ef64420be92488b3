// What a text that is read can lead to: other programs, and the viewer of files. Where nobody provides it, links and paths are plain text.

import { getContext, setContext } from 'svelte';
import type { PictureView } from '$lib/generated/PictureView';

export interface Leads {
  openLink(address: string): void;
  /** The file of the project that a path means; null while that is not known, and for a path that means none. */
  fileOf(path: string): string | null;
  openFile(path: string, line: number | null): void;
  /** A picture of the project. Rejects with an `ErrorInfo`, also for what is none. */
  picture(path: string): Promise<PictureView>;
}

const KEY = Symbol('leads');

export const provideLeads = (leads: Leads): Leads => setContext(KEY, leads);
export const useLeads = (): Leads | undefined => getContext<Leads | undefined>(KEY);
