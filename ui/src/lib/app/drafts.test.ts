import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Backend } from '$lib/backend/backend';
import type { DraftOf } from '$lib/generated/DraftOf';
import { Drafts } from './drafts';

const HERE: DraftOf = { type: 'session', sessionId: 's' };
const NEW: DraftOf = { type: 'project', projectId: 'p' };

let saved: [string, string][];
let refuses: boolean;
const backend = {
  submit: (op: { type: string; of: DraftOf; text: string }) => {
    if (refuses) return Promise.reject(new Error('full'));
    saved.push([op.of.type, op.text]);
    return Promise.resolve({ type: 'done' });
  },
  query: () => Promise.resolve({ type: 'draft', text: 'from before' }),
} as unknown as Backend;

beforeEach(() => {
  vi.useFakeTimers();
  saved = [];
  refuses = false;
});
afterEach(() => vi.useRealTimers());
const drafts = () => new Drafts(backend, () => Date.now());

test('what is typed is saved soon, and then at most once a second', () => {
  const kept = drafts();
  for (let letters = 1; letters <= 40; letters++) {
    kept.changed(HERE, 'x'.repeat(letters));
    vi.advanceTimersByTime(100);
  }
  expect(saved.length).toBe(4);
  vi.advanceTimersByTime(1_000);
  expect(saved.at(-1)).toEqual(['session', 'x'.repeat(40)]);
  expect(saved.length).toBe(5);
});

test('a message that is sent removes its draft, once, and nothing is written where nothing changed', () => {
  const kept = drafts();
  kept.changed(HERE, 'one');
  vi.advanceTimersByTime(300);
  kept.changed(HERE, '');
  kept.flush();
  kept.changed(HERE, '  ');
  vi.advanceTimersByTime(5_000);
  expect(saved).toEqual([
    ['session', 'one'],
    ['session', ''],
  ]);
});

test('places do not mix, and what is due is what is read', async () => {
  const kept = drafts();
  kept.changed(NEW, 'new');
  expect(await kept.of(HERE)).toBe('from before');
  expect(await kept.of(NEW)).toBe('new');
  vi.advanceTimersByTime(300);
  expect(saved).toEqual([['project', 'new']]);
});

test('what was refused is tried again with the next letter', async () => {
  const kept = drafts();
  refuses = true;
  kept.changed(HERE, 'one');
  await vi.advanceTimersByTimeAsync(300);
  refuses = false;
  kept.changed(HERE, 'one');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(saved).toEqual([['session', 'one']]);
});
