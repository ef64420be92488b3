// The side panel: closed until a person opens it, as wide as the person dragged it, and the chat beside it is whole.

import type { Page } from '@playwright/test';
import { test } from './kept';
import { expect, send } from './window';

const panel = (page: Page) => page.getByRole('complementary');
const handle = (page: Page) => page.getByRole('separator', { name: 'Width of the side panel' });
const width = async (page: Page) => Math.round((await panel(page).boundingBox())?.width ?? 0);

test('it is closed until it is asked for', async ({ page, open }) => {
  await open('finished');
  await expect(page.getByTestId('composer')).toBeVisible();
  await expect(panel(page)).toHaveCount(0);
  await page.getByRole('button', { name: 'Side panel' }).click();
  await expect(panel(page)).toBeVisible();
  // A new session has nothing to show in it; what is asked for is shown all the same.
  await page.keyboard.press('Control+n');
  await expect(panel(page)).toHaveCount(0);
  await page.keyboard.press('Control+j');
  await expect(panel(page)).toBeVisible();
  await page.keyboard.press('Control+j');
  await expect(panel(page)).toHaveCount(0);
});

test('W6: a proposal comes below the conversation, which keeps its width, and the panel stays closed', async ({
  page,
  open,
}) => {
  await open('write-live');
  await send(page, 'Take the patience of a fox from the configuration.');
  const column = () =>
    page
      .getByRole('article')
      .first()
      .evaluate((element) => Math.round(element.getBoundingClientRect().width));
  const before = await column();
  await expect(page.getByTestId('hunk').first()).toBeVisible();
  expect(await column()).toBe(before);
  await expect(panel(page)).toHaveCount(0);
  // From the last changed line to the button is no way.
  await page.getByRole('region', { name: 'Difference' }).focus();
  await page.keyboard.press('End');
  const last = page.locator('[data-testid=row]:is([data-kind=added], [data-kind=removed])').last();
  await expect(last).toBeInViewport();
  const [row, button] = await Promise.all([last.boundingBox(), page.getByTestId('write-approve').boundingBox()]);
  if (!row || !button) throw new Error('They have no boxes.');
  expect(button.y - row.y - row.height).toBeLessThan(200);
  await page.getByTestId('write-approve').click();
  await expect(page.getByTestId('diff-pane')).toHaveCount(0);
  expect(await column()).toBe(before);
});

test('it is dragged by mouse and by keyboard, and keeps its width whatever is in it', async ({ page, open }) => {
  await open('finished');
  await page.keyboard.press('Control+j');
  await expect(panel(page)).toBeVisible();
  const before = await width(page);
  const at = await handle(page).boundingBox();
  if (!at) throw new Error('The handle has no box.');
  await page.mouse.move(at.x, 300);
  await page.mouse.down();
  await page.mouse.move(at.x - 100, 300, { steps: 5 });
  await page.mouse.up();
  const dragged = await width(page);
  expect(Math.abs(dragged - before - 100)).toBeLessThanOrEqual(3);
  await handle(page).focus();
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => width(page)).toBeLessThan(dragged - 10);
  const kept = await width(page);
  await page.getByRole('tab', { name: 'Files' }).click();
  await expect.poll(() => width(page)).toBe(kept);
  await page.reload();
  await expect(panel(page)).toBeVisible();
  await expect.poll(() => width(page)).toBe(kept);
});

test('it gives the chat its room, however far it is dragged', async ({ page, open }) => {
  await open('finished');
  await page.keyboard.press('Control+j');
  await expect(panel(page)).toBeVisible();
  await handle(page).focus();
  await page.keyboard.press('Home');
  await expect
    .poll(async () => Math.round((await page.locator('main').boundingBox())?.width ?? 0))
    .toBeGreaterThanOrEqual(399);
  await page.keyboard.press('End');
  await expect.poll(() => width(page)).toBeGreaterThanOrEqual(279);
});

test('at 1280 pixels beside a difference nothing in the chat is cut', async ({ page, open }) => {
  for (const scene of ['write-ready', 'write-whole']) {
    await open(scene);
    if ((await page.getByTestId('diff-pane').count()) === 0) await page.getByTestId('review').click();
    await expect(page.getByTestId('row').first()).toBeVisible();
    const cut = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>('main *')].flatMap((element) => {
        const { overflowX, clipPath } = getComputedStyle(element);
        const hides = overflowX === 'hidden' && clipPath === 'none' && !element.matches('.facts, .scroll, h1');
        return hides && element.scrollWidth > element.clientWidth + 1
          ? [`${element.className} ${element.textContent}`]
          : [];
      }),
    );
    expect(cut, scene).toEqual([]);
    const field = page.getByTestId('composer');
    expect(await field.evaluate((element) => element.scrollHeight <= element.clientHeight)).toBe(true);
  }
});
