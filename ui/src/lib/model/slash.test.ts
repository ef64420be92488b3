import { expect, test } from 'vitest';
import { matching } from './slash';

const commands = ['compact', 'context', 'model'].map((name) => ({ name, hint: '', run: () => {} }));
const found = (text: string) => matching(text, commands).map(({ name }) => name);

test('a slash and the beginning of a name find the commands', () => {
  expect([found('/'), found('/co'), found('/compact'), found('/x')]).toEqual([['compact', 'context', 'model'], ['compact', 'context'], ['compact'], []]);
});

test('a message is none, whatever is in it', () => {
  expect(['', 'compact', ' /compact', '/compact now', '/usr/bin', '/Co\n'].flatMap(found)).toEqual([]);
});
