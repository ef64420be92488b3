import { expect, test } from 'vitest';
import type { FileEntry } from '$lib/generated/FileEntry';
import { Naming } from './naming.svelte';

test('half a name that is being completed names nothing yet', async () => {
  const found = [{ path: 'src/main.rs', directory: false, bytes: 4 } as FileEntry];
  const naming = new Naming(
    () => Promise.resolve({ files: found, partial: false }),
    () => {},
    () => {},
  );
  const field = Object.assign(new EventTarget(), { value: '', selectionStart: 0, selectionEnd: 0 });
  naming.field(field as unknown as HTMLTextAreaElement);
  const write = async (text: string) => {
    Object.assign(field, { value: text, selectionStart: text.length, selectionEnd: text.length });
    field.dispatchEvent(new Event('input'));
    await Promise.resolve();
    await Promise.resolve();
  };
  await write('@README.md and @src/ma');
  expect([naming.open, naming.whole(field.value)]).toEqual([true, '@README.md and src/ma']);
  await write('@README.md and @src/main.rs');
  expect([naming.open, naming.whole(field.value)]).toEqual([false, '@README.md and @src/main.rs']);
});
