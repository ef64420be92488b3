import { expect, test } from 'vitest';
import { hasFiles, dropped, images, LONG, pasted, attachedAgain } from './transfer';

const file = (name: string, type = '') => new File(['x'], name, { type });
const transfer = (files: File[], data: Record<string, string> = {}, folders: string[] = []) => ({
  files,
  types: [...Object.keys(data), ...(files.length > 0 ? ['Files'] : [])],
  items: files.map(({ name }) => ({
    kind: 'file',
    webkitGetAsEntry: () => ({ isDirectory: folders.includes(name) }) as FileSystemEntry,
  })),
  getData: (type: string) => data[type] ?? '',
});

test('a paste has its files, and a text only where it is rather one', () => {
  const picture = file('image.png', 'image/png');
  expect(pasted(transfer([picture]))).toEqual({ kind: 'files', files: [picture] });
  expect(pasted(transfer([picture], { 'text/html': '<img>' }))).toEqual({ kind: 'files', files: [picture] });
  const text = 'a'.repeat(LONG);
  expect(pasted(transfer([], { 'text/plain': text }))).toBeNull();
  expect(pasted(transfer([], { 'text/plain': `${text}b` }))).toEqual({ kind: 'text', text: `${text}b` });
});

test('a text with a picture of it is text, and files that a file manager names are files', () => {
  const picture = file('a.png', 'image/png');
  expect(pasted(transfer([picture], { 'text/plain': 'a cell' }))).toBeNull();
  expect(
    pasted(transfer([picture], { 'text/plain': '/home/a.png', 'text/uri-list': 'file:///home/a.png' }))?.kind,
  ).toBe('files');
  expect(pasted(transfer([file('a.csv', 'text/csv')], { 'text/plain': '/home/a.csv' }))?.kind).toBe('files');
});

test('what a web view says nothing of is read, and its images are files', async () => {
  expect([pasted(transfer([])), pasted(transfer([], { 'text/html': '<img>' }))]).toEqual([
    { kind: 'untold' },
    { kind: 'untold' },
  ]);
  expect(pasted(transfer([], { 'text/uri-list': '', 'text/plain': '/home/fox' }))).toEqual({ kind: 'hidden' });
  expect(
    pasted(transfer([], { 'text/uri-list': 'https://fox.example/', 'text/plain': 'https://fox.example/' })),
  ).toBeNull();
  const item = (...types: string[]) => ({
    types,
    getType: (type: string) => Promise.resolve(new Blob([type], { type })),
  });
  const came = await images([item('text/html', 'image/png', 'image/webp'), item('text/plain')]);
  expect(came.map(({ name, type, size }) => [name, type, size])).toEqual([['image.png', 'image/png', 9]]);
  expect(await images([])).toEqual([]);
});

test('a drop has files and names folders, and nothing else has files', () => {
  const [one, two] = [file('one.txt'), file('src')];
  expect(dropped(transfer([one, two], {}, ['src']))).toEqual({ files: [one], folders: ['src'] });
  expect([hasFiles(transfer([one])), hasFiles(transfer([], { 'text/plain': 'a' })), hasFiles(null)]).toEqual([
    true,
    false,
    false,
  ]);
  expect([
    hasFiles(transfer([], { 'text/uri-list': '' })),
    hasFiles(transfer([], { 'text/uri-list': '', 'text/plain': '' })),
  ]).toEqual([true, false]);
});

test('of what came with a message, what was added is sent again; what it names is read again', () => {
  const came = {
    toolCallId: 'file_1',
    path: 'den.png',
    isFolder: false,
    status: 'ok' as const,
    summary: '',
    bytes: 9,
    truncated: false,
    sha256: 'a',
    error: null,
  };
  const content = { type: 'text' as const, lines: 2 };
  expect(
    attachedAgain([
      { ...came, content },
      { ...came, path: 'src/fox.rs' },
    ]),
  ).toEqual([{ name: 'den.png', sha256: 'a', bytes: 9, content }]);
});
