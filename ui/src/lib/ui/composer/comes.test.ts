import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { NamedFile } from '$lib/generated/NamedFile';
import { Comes } from './comes.svelte';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('half a name that is being completed is not looked up, and what is shown stays meanwhile', async () => {
  const look = vi.fn((text: string) => Promise.resolve([{ path: text } as NamedFile]));
  const comes = new Comes(look);
  const shown = () => comes.files.map(({ path }) => path);
  comes.follow('@README.md', false);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(shown()).toEqual(['@README.md']);
  // The list comes a moment after the letter.
  comes.follow('@README.md @src/ma', false);
  comes.follow('@README.md @src/ma', true);
  await vi.advanceTimersByTimeAsync(1_000);
  expect([shown(), look.mock.calls.length]).toEqual([['@README.md'], 1]);
  comes.follow('@README.md @src/main.rs ', false);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(shown()).toEqual(['@README.md @src/main.rs ']);
  comes.follow('nothing', false);
  expect(shown()).toEqual([]);
});
