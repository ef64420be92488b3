// What is wide by nature has the room beside the column, and text keeps to it.

import { test } from './kept';
import { expect } from './window';

/** Where something begins and ends, to the pixel. */
const sides = (element: Element): [number, number] => {
  const { left, right } = element.getBoundingClientRect();
  return [Math.round(left), Math.round(right)];
};

test('a wide table and long code are as wide as the pane, and text and what is narrow keep to the column', async ({
  page,
  open,
}) => {
  await open('reading');
  const answer = page.getByTestId('answer');
  const [left, right] = await answer.evaluate(sides);
  const [, pane] = await page.getByRole('region', { name: 'Conversation' }).evaluate(sides);
  expect(right - left).toBeLessThan(560);
  expect(await answer.locator('p').first().evaluate(sides)).toEqual([left, right]);
  for (const wide of [answer.locator('.table'), answer.getByRole('figure')])
    expect(await wide.evaluate(sides)).toEqual([left, pane - 16]);
  await open('finished');
  for (const narrow of [answer.last().locator('.table'), answer.last().getByRole('figure')])
    expect(await narrow.evaluate(sides)).toEqual([left, right]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
});

test('the arrow to the latest stands above the right corner of the message box', async ({ page, open }) => {
  await open('long');
  await expect(page.getByRole('article')).toHaveCount(20);
  await page.getByRole('region', { name: 'Conversation' }).press('PageUp');
  const arrow = page.getByRole('button', { name: 'Jump to latest' });
  await expect(arrow).toBeVisible();
  const [from, to] = await arrow.evaluate(sides);
  expect(to - from).toBe(32);
  const [, corner] = await page.locator('.dock').evaluate(sides);
  expect(to).toBe(corner);
  await arrow.click();
  await expect(arrow).toHaveCount(0);
});

test('a diagram is seen whole, and opens large', async ({ page, open }) => {
  await open('diagrams');
  const diagram = page.getByTestId('diagram').last();
  // It is drawn when it is first seen.
  await diagram.scrollIntoViewIfNeeded();
  const picture = diagram.getByRole('img');
  await expect(picture).toBeVisible();
  const scrolls = (element: Element) => element.scrollWidth > element.clientWidth;
  expect(await diagram.getByRole('group', { name: 'Diagram' }).evaluate(scrolls)).toBe(false);
  const [left, right] = await picture.evaluate(sides);
  await diagram.getByTestId('enlarge').click();
  const dialog = page.getByTestId('diagram-large');
  const [from, to] = await dialog.getByRole('img').evaluate(sides);
  expect(to - from).toBeGreaterThan(right - left);
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await expect(diagram.getByTestId('enlarge')).toBeFocused();
});
