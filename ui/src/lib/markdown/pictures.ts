// Which pictures of an answer are files of the project, and how the window shows one that the core has read.

import type { PictureKind } from '$lib/generated/PictureKind';
import type { PictureView } from '$lib/generated/PictureView';

/** A longer address names no file. */
const LONGEST = 400;

/** The path in the project that the address of a picture names; null for one that leads anywhere else. The core judges the path itself. */
export function pathOf(address: string): string | null {
  if (
    address === '' ||
    address.length > LONGEST ||
    /^(?:[/\\#?]|[a-z][a-z\d+.-]*:)/i.test(address) ||
    /[\p{Cc}\\]/u.test(address)
  )
    return null;
  try {
    const path = decodeURIComponent(address).replace(/^(?:\.\/)+/, '');
    return path === '' || /\p{Cc}/u.test(path) ? null : path;
  } catch {
    // A sign of percent that stands for no character.
    return null;
  }
}

const KINDS: readonly PictureKind[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** The picture as an address that asks for nothing. */
export function dataOf({ kind, data }: Pick<PictureView, 'kind' | 'data'>): string {
  return KINDS.includes(kind) && /^[a-z\d+/=]+$/i.test(data) ? `data:${kind};base64,${data}` : '';
}
