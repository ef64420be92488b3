import { expect, test } from 'vitest';
import { Asked } from './asked';
import type { OrionWindow } from './window.svelte';

test('what the desktop asks for is done in its order, once the window shows what the person did last', () => {
  const done: string[] = [];
  const orion = {
    projectId: null as string | null,
    newChat: (projectId: string) => done.push(projectId),
    openProject: () => Promise.resolve(done.push('dialog')),
  };
  const asked = new Asked(orion as unknown as OrionWindow);
  asked.take([{ type: 'asked', act: 'new_chat' }, { type: 'lagged' }]);
  orion.projectId = 'p-1';
  asked.take([{ type: 'asked', act: 'open_folder' }]);
  expect(done).toEqual([]);
  asked.opened();
  expect(done).toEqual(['p-1', 'dialog']);
  asked.take([{ type: 'asked', act: 'new_chat' }]);
  orion.projectId = null;
  asked.take([{ type: 'asked', act: 'new_chat' }]);
  expect(done).toEqual(['p-1', 'dialog', 'p-1']);
});
