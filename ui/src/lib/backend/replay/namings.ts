// Files that a message names: found while a name is typed, looked up before the message is sent, and come with it.

import type { AttachedFile } from '$lib/generated/AttachedFile';
import type { FileEntry } from '$lib/generated/FileEntry';
import type { NamedFile } from '$lib/generated/NamedFile';
import { CONFIG_BOX, error, FILES, LISTING } from './fixtures';
import { Recording } from './recording';
import type { Script } from './scripts';

/** The core orders better. Here those that have what is typed in their name come first. */
export function findIn(files: readonly FileEntry[], filter: string): FileEntry[] {
  const typed = filter.toLowerCase();
  const name = (path: string) => path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const rank = ({ path }: FileEntry) =>
    typed === ''
      ? path.split('/').length
      : name(path).startsWith(typed)
        ? 0
        : path.toLowerCase().includes(typed)
          ? 1
          : 99;
  return files.filter((file) => rank(file) < 99).sort((a, b) => rank(a) - rank(b) || a.path.length - b.path.length);
}

const NAMED = /(?:^|[\s([{"'`,;])@(?:"([^"]+)"|([^\s"]*[^\s".,:;!?)\]}'`]))/gu;

export function namedIn(text: string): NamedFile[] {
  return [...text.matchAll(NAMED)].map(([, quoted, plain]): NamedFile => {
    const written = quoted ?? plain!;
    const lines = /^(.*):(\d+)-(\d+)$/u.exec(written);
    const path = (lines?.[1] ?? written).replace(/\/$/u, '');
    const base = {
      path,
      lines: lines ? ([Number(lines[2]), Number(lines[3])] as [number, number]) : null,
      directory: false,
      bytes: null,
    };
    if (path.startsWith('..'))
      return {
        ...base,
        error: error(
          'path_outside',
          `\`${path}\` is outside of the project.`,
          'Only files of the project can be read.',
        ),
      };
    const file = FILES.find((it) => it.path === path);
    return file
      ? { ...base, directory: file.directory, bytes: file.bytes, error: null }
      : { ...base, error: error('path_not_found', `There is no \`${path}\`.`, 'Check the name.') };
  });
}

/** An answer to a message with what it names. */
export const attaching: Script = (ids, text, startMs) => {
  const recording = new Recording(ids, text, startMs).wait(40);
  const named = namedIn(text).filter(({ error: fault }) => fault?.code !== 'path_not_found');
  const files = named.map((file, index): AttachedFile => {
    const toolCallId = `file_${index + 1}`;
    const result = file.directory ? LISTING : CONFIG_BOX;
    if (!file.error)
      recording.calls.push({
        toolCallId,
        name: file.directory ? 'list_files' : 'read_file',
        arguments: { path: file.path },
        permission: 'allow',
        result,
      });
    return {
      toolCallId,
      path: file.directory ? `${file.path}/` : file.path,
      ...(file.lines && { lines: file.lines }),
      isFolder: file.directory,
      status: file.error ? 'failed' : 'ok',
      summary: file.directory ? '12 entries' : '32 lines',
      bytes: file.bytes ?? LISTING.length,
      truncated: false,
      sha256: 'a digest',
      error: file.error,
    };
  });
  if (files.length > 0) recording.event({ type: 'attached', files });
  return recording.action().wait(200).say('The later source wins.').end('answered', 'stop').completed();
};
