// Forks of a turn (T9): a session of its own that waits at one of the turn's steps.

import type { Page } from '@playwright/test';
import { test } from './kept';
import { expect, unfold, words } from './window';

const messages = (page: Page) => page.getByRole('article');
const origin = (page: Page) => page.getByTestId('forked-from');

async function fork(page: Page, from: string): Promise<void> {
  await page.getByRole('button', { name: from }).click();
  await page.getByRole('menuitem', { name: 'Fork from here' }).click();
}

test('T9: a fork from a step waits with its result, goes on with what the person left of it, and leads back', async ({
  page,
  open,
}) => {
  await open('finished', 0.2);
  await expect(words(page)).toHaveText('Answered');
  const title = (await page.getByRole('heading', { level: 1 }).textContent()) ?? '';
  await unfold(page);
  await fork(page, 'Actions for step 1');
  await expect(origin(page)).toContainText(', step 1');
  await expect(words(page)).toHaveText('Paused: look at the result');
  await page.getByTestId('edit-result').click();
  const text = page.getByTestId('result-text');
  await expect(text).toBeFocused();
  await text.fill('user = "foxes"');
  await page.getByRole('button', { name: 'Resume with your changes' }).click();
  await expect(words(page)).toHaveText('Answered');
  await expect(messages(page)).toHaveCount(1);

  await origin(page).getByRole('button').click();
  await expect(origin(page)).toHaveCount(0);
  await expect(words(page)).toHaveText('Answered');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(title);
});

test('T9: a fork from the message waits before its first step', async ({ page, open }) => {
  await open('finished', 0.2);
  await fork(page, 'Actions for the message');
  await expect(origin(page)).toContainText(', from its message');
  await expect(words(page)).toHaveText('Paused');
  await page.getByTestId('pause-resume').click();
  await expect(words(page)).toHaveText('Answered');
});

test('T9: what came before a fork stands above it, folded, and nothing of it can be acted on', async ({
  page,
  open,
}) => {
  await open('long-short', 0.1);
  await messages(page).last().getByRole('button', { name: 'Actions for the message' }).click();
  await page.getByRole('menuitem', { name: 'Fork from here' }).click();
  await expect(origin(page)).toContainText(', from its message');
  const before = page.getByTestId('before-fork');
  await expect(before).toHaveCount(20);
  const last = before.last();
  const opener = last.getByRole('button');
  await expect(opener).toHaveAttribute('aria-expanded', 'false');
  const top = (it: ReturnType<Page['getByTestId']>) => it.evaluate((element) => element.getBoundingClientRect().top);
  expect(await top(last)).toBeLessThan(await top(origin(page)));

  // It opens in its place, and what it is has no button but this one.
  await last.scrollIntoViewIfNeeded();
  const at = await top(last);
  await opener.click();
  await expect(opener).toHaveAttribute('aria-expanded', 'true');
  await expect(last.getByRole('button')).toHaveCount(1);
  expect(Math.abs((await top(last)) - at)).toBeLessThan(2);

  // The page before it comes above, and what is read stays where it is.
  const more = page.getByTestId('before-fork-more');
  await more.scrollIntoViewIfNeeded();
  const first = before.first();
  const read = (await first.getAttribute('data-before')) ?? '';
  const was = await top(first);
  await more.click();
  await expect(before).toHaveCount(40);
  expect(Math.abs((await top(page.locator(`[data-before="${read}"]`))) - was)).toBeLessThan(4);
  await expect(origin(page)).toHaveCount(1);
});

test('T9: a fork of the first message has nothing above it', async ({ page, open }) => {
  await open('finished', 0.2);
  await fork(page, 'Actions for the message');
  await expect(origin(page)).toContainText(', from its message');
  await expect(page.getByTestId('before-fork')).toHaveCount(0);
  await expect(page.getByTestId('before-fork-more')).toHaveCount(0);
});

test('a turn that waits can be forked, and one that runs cannot', async ({ page, open }) => {
  await open('paused', 0.2);
  await expect(words(page)).toHaveText('Paused: look at the result');
  await expect(page.getByRole('button', { name: 'Actions for step 1' })).toHaveCount(1);
  await page.getByRole('button', { name: 'Actions for the message' }).click();
  await expect(page.getByRole('menuitem')).toHaveText(['Fork from here']);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('menuitem')).toHaveCount(0);
  await open('tool', 0.2);
  await expect(words(page)).toHaveText('Searching files');
  await expect(messages(page).getByText(/^step 1 of/)).toBeVisible();
  await expect(page.getByRole('button', { name: /^Actions for step/ })).toHaveCount(0);
});

test('an imported session offers no fork', async ({ page, open }) => {
  await open('imported', 0.2);
  await expect(page.getByTestId('read-only')).toBeVisible();
  await expect(messages(page)).not.toHaveCount(0);
  await unfold(page);
  await expect(messages(page).getByText(/^step 1 of/)).toBeVisible();
  await expect(messages(page).getByRole('button', { name: /^Actions for/ })).toHaveCount(0);
});
