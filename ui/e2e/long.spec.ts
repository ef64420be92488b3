// A long session: it opens at its end, more of it comes as it is scrolled to, what is read stays where it is, and what is far away is
// let go and comes back.

import type { Page } from '@playwright/test';
import { test } from './kept';
import { expect, fromEnd, send, words } from './window';

const region = (page: Page) => page.getByRole('region', { name: 'Conversation' });
const articles = (page: Page) => page.getByRole('article');
const firstHeld = (page: Page) => articles(page).first().getAttribute('data-turn');
const lastHeld = (page: Page) => articles(page).last().getAttribute('data-turn');
const scrollTo = (page: Page, top: number) => region(page).evaluate((element, to) => (element.scrollTop = to), top);

/** The turn at the top of what can be seen, and where it begins. */
const reading = (page: Page) =>
  region(page).evaluate((element) => {
    const { top } = element.getBoundingClientRect();
    const turn = [...element.querySelectorAll<HTMLElement>('[data-turn]')].find(
      (each) => each.getBoundingClientRect().bottom > top,
    );
    return { turn: turn?.dataset['turn'], at: (turn?.getBoundingClientRect().top ?? 0) - top };
  });

/** Where this turn begins now; null when it is not there. */
const placeOf = (page: Page, turn: string) =>
  region(page).evaluate((element, id) => {
    const found = element.querySelector<HTMLElement>(`[data-turn="${id}"]`);
    return found ? found.getBoundingClientRect().top - element.getBoundingClientRect().top : null;
  }, turn);

/**
 * Watches every frame: how far the turn that was read moved while something came. It looks when the window's own observers of sizes have run, which is
 * after the callbacks of animation frames: what is there then is painted.
 */
const watchPlace = (page: Page, turn: string) =>
  region(page).evaluate((element, id) => {
    const seen: number[] = [];
    Object.assign(document, { seen });
    const look = (_: unknown, observer: ResizeObserver) => {
      observer.disconnect();
      const found = element.querySelector<HTMLElement>(`[data-turn="${id}"]`);
      if (found) seen.push(found.getBoundingClientRect().top - element.getBoundingClientRect().top);
    };
    const frame = () => {
      new ResizeObserver(look).observe(element);
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }, turn);
const moved = (page: Page) =>
  page.evaluate(() => {
    const { seen } = document as unknown as { seen: number[] };
    return Math.max(...seen) - Math.min(...seen);
  });

test('a long session opens at its end with its newest turns alone', async ({ page, open }) => {
  await open('long');
  await expect(articles(page)).toHaveCount(20);
  await expect.poll(() => lastHeld(page)).toBe('t-140');
  await expect.poll(() => fromEnd(page)).toBeLessThan(2);
  await expect(words(page)).toHaveText('Answered');
});

test('near its top the turns before come by themselves, and what is read stays where it is to the pixel in every frame', async ({
  page,
  open,
}) => {
  // A page takes 1.6 s: however slow the machine, it comes after the place is watched.
  await open('long-slow', 4);
  await expect(articles(page)).toHaveCount(20);
  // At the very top: everything that comes is above what is read.
  await scrollTo(page, 0);
  const before = await reading(page);
  await watchPlace(page, before.turn ?? '');
  await expect(page.getByText('Loading earlier turns')).toBeVisible();
  await expect(articles(page)).toHaveCount(40);
  await expect
    .poll(() => page.evaluate(() => (document as unknown as { seen: number[] }).seen.length))
    .toBeGreaterThan(30);
  expect(await placeOf(page, before.turn ?? '')).toBe(before.at);
  expect(await moved(page)).toBeLessThan(1);
  await expect(page.getByText('20 earlier turns loaded')).toBeAttached();
});

test('scrolled through to its beginning, it never holds more than three pages, and comes back to its end', async ({
  page,
  open,
}) => {
  await open('long', 0.1);
  await expect(articles(page)).toHaveCount(20);
  let most = 0;
  for (let held = await firstHeld(page); held !== 't-1';) {
    await scrollTo(page, 0);
    const known = held;
    await expect.poll(() => firstHeld(page)).not.toBe(known);
    held = await firstHeld(page);
    most = Math.max(most, await articles(page).count());
  }
  expect(most).toBeLessThanOrEqual(60);
  await scrollTo(page, 0);
  await expect(articles(page).first()).toContainText('Question 1.');
  await expect(page.getByText('Earlier turns', { exact: true })).toHaveCount(0);
  // The bar still tells of the newest turn, which is not among those that are held.
  expect(await lastHeld(page)).not.toBe('t-140');
  await expect(words(page)).toHaveText('Answered');

  for (let held = await lastHeld(page); held !== 't-140';) {
    const at = await reading(page);
    await region(page).evaluate((element) => (element.scrollTop = element.scrollHeight));
    const known = held;
    await expect.poll(() => lastHeld(page)).not.toBe(known);
    held = await lastHeld(page);
    expect(at.turn).not.toBe(undefined);
    expect(await articles(page).count()).toBeLessThanOrEqual(60);
  }
  await region(page).evaluate((element) => (element.scrollTop = element.scrollHeight));
  await expect(page.getByTestId('jump-latest')).toHaveCount(0);
  expect(await firstHeld(page)).not.toBe('t-1');
});

test('turns that were let go come back below while what is read stays where it is', async ({ page, open }) => {
  await open('long');
  for (const held of [40, 60]) {
    await scrollTo(page, 0);
    await expect(articles(page)).toHaveCount(held);
  }
  await scrollTo(page, 0);
  await expect.poll(() => lastHeld(page)).toBe('t-120');
  await region(page).evaluate((element) => (element.scrollTop = element.scrollHeight - 1.5 * element.clientHeight));
  const before = await reading(page);
  await expect.poll(() => lastHeld(page)).toBe('t-140');
  expect(await placeOf(page, before.turn ?? '')).toBe(before.at);
});

test('jumping to the latest turn from far away shows the end, and lets go of the rest', async ({ page, open }) => {
  await open('long');
  for (const held of [40, 60]) {
    await scrollTo(page, 0);
    await expect(articles(page)).toHaveCount(held);
  }
  await scrollTo(page, 0);
  await expect.poll(() => firstHeld(page)).toBe('t-61');
  await page.getByTestId('jump-latest').click();
  await expect.poll(() => lastHeld(page)).toBe('t-140');
  await expect(page.getByTestId('jump-latest')).toHaveCount(0);
  await expect.poll(() => fromEnd(page)).toBeLessThan(2);
});

test('a message that is sent from far away is shown with its answer', async ({ page, open }) => {
  await open('long', 0.1);
  for (const held of [40, 60]) {
    await scrollTo(page, 0);
    await expect(articles(page)).toHaveCount(held);
  }
  await scrollTo(page, 0);
  await expect.poll(() => lastHeld(page)).not.toBe('t-140');
  await send(page, 'And now?');
  await expect(page.getByRole('article', { name: 'Message: And now?' })).toBeVisible();
  await expect(words(page)).toHaveText('Answered');
  await expect.poll(() => fromEnd(page)).toBeLessThan(2);
});

test('the keyboard stays in the conversation when the turn that had it is let go', async ({ page, open }) => {
  await open('long', 0.1);
  await expect(articles(page)).toHaveCount(20);
  await articles(page).last().getByTestId('fold').first().focus();
  for (let held = await firstHeld(page); Number(held?.slice(2)) > 60;) {
    await scrollTo(page, 0);
    const known = held;
    await expect.poll(() => firstHeld(page)).not.toBe(known);
    held = await firstHeld(page);
  }
  await expect(page.locator('[data-turn="t-140"]')).toHaveCount(0);
  await expect(region(page)).toBeFocused();
  // And the keys of the region act: up to the turns before, and to the session's end.
  const top = await firstHeld(page);
  await page.keyboard.press('Home');
  await expect.poll(() => firstHeld(page)).not.toBe(top);
  await page.keyboard.press('End');
  await expect.poll(() => lastHeld(page)).toBe('t-140');
  await expect.poll(() => fromEnd(page)).toBeLessThan(2);
});

test('a page that cannot be had says why where it would be, and comes when it is asked for again', async ({
  page,
  open,
}) => {
  await open('long-flaky');
  await scrollTo(page, 0);
  const card = region(page).getByTestId('error-card');
  await expect(card).toContainText('The store did not answer.');
  await expect(articles(page)).toHaveCount(20);
  await card.getByRole('button', { name: 'Load again' }).click();
  await expect(articles(page)).toHaveCount(40);
  await expect(card).toHaveCount(0);
});

test('a high window is filled when the newest page alone does not fill it', async ({ page, open }) => {
  await page.setViewportSize({ width: 1280, height: 4_000 });
  await open('long-short');
  await expect.poll(() => articles(page).count()).toBeGreaterThan(20);
  await expect.poll(() => fromEnd(page)).toBeLessThan(2);
});
