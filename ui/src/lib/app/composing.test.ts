import { expect, test } from 'vitest';
import type { Backend } from '$lib/backend/backend';
import { Composing } from './composing.svelte';
import type { OrionWindow } from './window.svelte';

/** A window of which only the composer is there. */
function composer() {
  const backend = {
    submit: () => Promise.resolve({ type: 'done' }),
    query: () => Promise.resolve({ type: 'draft', text: 'begun', files: [] }),
  } as unknown as Backend;
  const orion = { backend, draft: '', sessionId: 'a' as string | null, projectId: 'p', problem: () => {} };
  return { orion, composing: new Composing(orion as unknown as OrionWindow) };
}

test('what waited comes before what is written in its own session, also where the person has left it', async () => {
  const { orion, composing } = composer();
  await composing.moved();
  expect(orion.draft).toBe('begun');
  orion.sessionId = 'b';
  await composing.moved();
  orion.draft = 'of b';
  await composing.cameBack('a', ['one', 'two']);
  expect(orion.draft).toBe('of b');
  orion.sessionId = 'a';
  await composing.moved();
  expect(orion.draft).toBe('one\n\ntwo\n\nbegun');
  await composing.cameBack('a', ['three']);
  expect(orion.draft).toBe('three\n\none\n\ntwo\n\nbegun');
});
