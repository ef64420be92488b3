import { expect, test } from 'vitest';
import { placed } from './callout';

const VIEW = { width: 1000, height: 600 };
const SIZE = { width: 300, height: 120 };
const at = (left: number, top: number, width: number, height: number) =>
  placed({ left, top, width, height }, SIZE, VIEW);

test('a callout covers nothing of what it points at while there is room on any side', () => {
  expect(at(100, 100, 200, 40)).toEqual({ left: 100, top: 152 });
  expect(at(900, 100, 90, 40)).toEqual({ left: 688, top: 152 });
  expect(at(100, 500, 200, 80)).toEqual({ left: 100, top: 368 });
  expect(at(500, 0, 500, 600)).toEqual({ left: 188, top: 12 });
  expect(at(0, 0, 500, 600)).toEqual({ left: 512, top: 12 });
});

test('it is whole in the window, whatever it points at', () => {
  expect(at(0, 0, 1000, 600)).toEqual({ left: 688, top: 468 });
  // What is below it can still be pressed.
  expect(at(0, 44, 1000, 476)).toEqual({ left: 688, top: 388 });
  expect(placed(null, SIZE, VIEW)).toEqual({ left: 688, top: 468 });
  expect(placed(null, SIZE, { width: 200, height: 100 })).toEqual({ left: 12, top: 12 });
});
