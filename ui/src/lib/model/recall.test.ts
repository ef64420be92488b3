import { expect, test } from 'vitest';
import { Recall } from './recall';

const MESSAGES = ['third', 'second\nof two lines', 'first'];
const end = (text: string) => ({ text, atEnd: true });

function keys(recall: Recall, from: string, ...pressed: string[]): string[] {
  let text = from;
  return pressed.map((key) => (text = recall.takes(key, end(text)) ? recall.go(key, MESSAGES) : `${text}|${key}`));
}

test('Up from an empty field goes to older messages, Down forward to the empty field, and Esc there at once', () => {
  expect(keys(new Recall(), '', 'ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowUp')).toEqual([
    'third',
    'second\nof two lines',
    'first',
    'first',
  ]);
  expect(keys(new Recall(), '', 'ArrowUp', 'ArrowUp', 'ArrowDown', 'ArrowDown')).toEqual([
    'third',
    'second\nof two lines',
    'third',
    '',
  ]);
  expect(keys(new Recall(), '', 'ArrowUp', 'ArrowUp', 'Escape', 'ArrowUp')).toEqual([
    'third',
    'second\nof two lines',
    '',
    'third',
  ]);
});

test('keys in a text belong to the text, also in a message that was changed', () => {
  const recall = new Recall();
  expect(['ArrowUp', 'ArrowDown', 'Escape'].map((key) => recall.takes(key, end('written')))).toEqual([
    false,
    false,
    false,
  ]);
  expect(keys(recall, '', 'ArrowUp')).toEqual(['third']);
  expect(recall.takes('ArrowUp', { text: 'third', atEnd: false })).toBe(false);
  expect(recall.takes('ArrowUp', end('third, changed'))).toBe(false);
  expect(recall.takes('Escape', end('third'))).toBe(false);
});

test('without messages the field stays empty', () => {
  const recall = new Recall();
  expect(recall.takes('ArrowDown', end(''))).toBe(false);
  expect(recall.go('ArrowUp', [])).toBe('');
  expect(recall.takes('Escape', end(''))).toBe(false);
});
