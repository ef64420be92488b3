import { expect, test } from 'vitest';
import { Looking } from './looking.svelte';

const TOTAL = 100;
const WIDTH = 200;
const looking = () =>
  new Looking(
    () => TOTAL,
    () => WIDTH,
  );
const wheel = (patch: Partial<WheelEvent>) =>
  ({ deltaX: 0, deltaY: 0, ctrlKey: false, metaKey: false, shiftKey: false, ...patch }) as WheelEvent;

test('two fingers that part look closer, at what is between them', () => {
  const it = looking();
  it.down(1, 80, false);
  it.down(2, 120, false);
  expect(it.move(2, 160)).toBe(true);
  expect(it.view.to - it.view.from).toBeCloseTo(50);
  // Between them was 60 of 100, at 120 of 200 pixels.
  expect(it.view.from + (120 / WIDTH) * (it.view.to - it.view.from)).toBeCloseTo(60);
  expect(it.up(1)).toBe(false);
});

test('a drag along the axis chooses a stretch, one on the bars moves them, and a press that does not move is a click', () => {
  const it = looking();
  it.down(1, 50, true);
  expect(it.move(1, 51)).toBe(false);
  expect(it.move(1, 100)).toBe(true);
  expect(it.chosen).toEqual({ from: 50, to: 100 });
  expect(it.up(1)).toBe(true);
  expect(it.view).toEqual({ from: 25, to: 50 });
  it.down(1, 100, false);
  it.move(1, 20);
  expect(it.up(1)).toBe(true);
  expect(it.view).toEqual({ from: 35, to: 60 });
  it.down(1, 100, false);
  expect(it.up(1)).toBe(false);
  it.fit();
  expect([it.view, it.whole]).toEqual([{ from: 0, to: TOTAL }, true]);
});

test('the wheel zooms on the axis and with Ctrl, moves to the side, and else is left to the page', () => {
  const it = looking();
  expect(it.wheel(wheel({ deltaY: -100 }), 100, false)).toBe(false);
  expect(it.wheel(wheel({ deltaY: -100 }), 100, true)).toBe(true);
  const zoomed = it.view.to - it.view.from;
  expect(zoomed).toBeLessThan(TOTAL);
  expect(it.wheel(wheel({ deltaY: -100, ctrlKey: true }), 100, false)).toBe(true);
  expect(it.view.to - it.view.from).toBeLessThan(zoomed);
  const before = it.view.from;
  expect(it.wheel(wheel({ deltaX: 20 }), 100, true)).toBe(true);
  expect(it.view.from).toBeGreaterThan(before);
  for (let turn = 0; turn < 20; turn += 1) it.wheel(wheel({ deltaY: 200 }), 100, true);
  expect(it.whole).toBe(true);
});
