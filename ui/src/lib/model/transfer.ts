// The attachments of a paste or a drop. Pure.

import type { AttachedFile } from '$lib/generated/AttachedFile';
import type { Attachment } from '$lib/generated/Attachment';

/** Characters of a pasted text that is rather a file. */
export const LONG = 10_000;

/** The part of a clipboard or a drag that is looked at. */
export interface Transfer {
  readonly files: ArrayLike<File>;
  readonly types: readonly string[];
  readonly items: ArrayLike<Pick<DataTransferItem, 'kind' | 'webkitGetAsEntry'>>;
  getData(type: string): string;
}

/**
 * WebKitGTK hands no files to a page (0058). `untold`: it says nothing of what there is, which may be an image. `hidden`: there are files
 * that the page does not see.
 */
export type Pasted = { kind: 'files'; files: File[] } | { kind: 'text'; text: string } | { kind: 'untold' | 'hidden' };

/** The part of a paste that is not to go into the field. A program that copies text with a picture of it means the text. */
export function pasted(clipboard: Transfer): Pasted | null {
  const files = Array.from(clipboard.files);
  const text = clipboard.getData('text/plain');
  const isPictureOfText =
    text.trim() !== '' &&
    !clipboard.types.includes('text/uri-list') &&
    files.every(({ type }) => type.startsWith('image/'));
  if (files.length > 0 && !isPictureOfText) return { kind: 'files', files };
  if (files.length === 0 && isHidden(clipboard)) return { kind: 'hidden' };
  if (files.length === 0 && text === '') return { kind: 'untold' };
  return text.length > LONG ? { kind: 'text', text } : null;
}

/** What of a clipboard that is read is looked at. */
export type Read = readonly Pick<ClipboardItem, 'types' | 'getType'>[];

/** The images of a clipboard, under the name that web views give to them. What is in several forms is taken once. */
export async function images(clipboard: Read): Promise<File[]> {
  const files = clipboard.map(async (item) => {
    const type = item.types.find((form) => form.startsWith('image/'));
    return type ? [new File([await item.getType(type)], `image.${type.slice('image/'.length)}`, { type })] : [];
  });
  return (await Promise.all(files)).flat();
}

/** A list of addresses that cannot be read is one of files. */
const isHidden = (transfer: Transfer) =>
  transfer.types.includes('text/uri-list') && transfer.getData('text/uri-list') === '';

/** True while files are dragged, from outside the window. A link that is dragged is a text as well. */
export function hasFiles(drag: Pick<Transfer, 'types'> | null): boolean {
  return (
    drag !== null &&
    (drag.types.includes('Files') || (drag.types.includes('text/uri-list') && !drag.types.includes('text/plain')))
  );
}

/** The files of a drop, and the names of folders, which look like files that cannot be read. */
export function dropped(drag: Transfer): { files: File[]; folders: string[] } {
  const entries = Array.from(drag.items)
    .filter(({ kind }) => kind === 'file')
    .map((item) => item.webkitGetAsEntry());
  const files = Array.from(drag.files);
  const isFolder = (_: File, at: number) => entries[at]?.isDirectory === true;
  return {
    files: files.filter((file, at) => !isFolder(file, at)),
    folders: files.filter(isFolder).map(({ name }) => name),
  };
}

/** The attachments of a message, to be attached to it again. */
export function attachedAgain(attached: readonly AttachedFile[]): Attachment[] {
  return attached.flatMap(({ path, sha256, uncut, bytes, content }) =>
    content ? [{ name: path, sha256: uncut ?? sha256, bytes, content }] : [],
  );
}
