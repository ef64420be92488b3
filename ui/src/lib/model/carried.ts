// What a paste or a drop brings to the message that is written. Pure.

import type { AttachedFile } from '$lib/generated/AttachedFile';
import type { SentFile } from '$lib/generated/SentFile';

/** Characters of a pasted text that is rather a file. */
export const LONG = 10_000;

/** What of a clipboard or a drag is looked at. */
export interface Carried {
  readonly files: ArrayLike<File>;
  readonly types: readonly string[];
  readonly items: ArrayLike<Pick<DataTransferItem, 'kind' | 'webkitGetAsEntry'>>;
  getData(type: string): string;
}

export type Pasted = { kind: 'files'; files: File[] } | { kind: 'text'; text: string };

/** What a paste brings that is not to go into the field. A program that copies text with a picture of it means the text. */
export function pasted(clipboard: Carried): Pasted | null {
  const files = Array.from(clipboard.files);
  const text = clipboard.getData('text/plain');
  const isPictureOfText = text.trim() !== '' && !clipboard.types.includes('text/uri-list') && files.every(({ type }) => type.startsWith('image/'));
  if (files.length > 0 && !isPictureOfText) return { kind: 'files', files };
  return text.length > LONG ? { kind: 'text', text } : null;
}

/** True while files are dragged, from outside the window. */
export function carriesFiles(drag: Pick<Carried, 'types'> | null): boolean {
  return drag?.types.includes('Files') ?? false;
}

/** What is dropped: files, and names of folders, which are given as files that cannot be read. */
export function dropped(drag: Carried): { files: File[]; folders: string[] } {
  const entries = Array.from(drag.items).filter(({ kind }) => kind === 'file').map((item) => item.webkitGetAsEntry());
  const files = Array.from(drag.files);
  const isFolder = (_: File, at: number) => entries[at]?.isDirectory === true;
  return { files: files.filter((file, at) => !isFolder(file, at)), folders: files.filter(isFolder).map(({ name }) => name) };
}

/** The files that a message brought, to be sent with it again. */
export function sentAgain(attached: readonly AttachedFile[]): SentFile[] {
  return attached.flatMap(({ path, sha256, uncut, bytes, sent }) => (sent ? [{ name: path, sha256: uncut ?? sha256, bytes, content: sent }] : []));
}
