// One message by both routes (P2, T9): the question before it, and both turns side by side while they run.

import type { Page } from '@playwright/test';
import { inaccessible } from './accessible';
import { fits } from './looks';
import { test } from './kept';
import { expect, words } from './window';

const dialog = (page: Page) => page.getByTestId('routes-dialog');
const state = (page: Page, route: 'two_stage' | 'unified') => page.getByTestId(`state-${route}`);
const cells = (page: Page, label: string) => dialog(page).getByRole('row', { name: label }).getByRole('cell');

async function ask(page: Page): Promise<void> {
  await expect(words(page)).toHaveText('Answered');
  await page.getByRole('button', { name: 'Actions for the message' }).click();
  await page.getByRole('menuitem', { name: 'Compare with the other route…' }).click();
  await expect(dialog(page)).toBeVisible();
}

test('T9: both routes answer one after the other, and their figures and answers stand side by side', async ({
  page,
  open,
}) => {
  await open('finished', 0.2);
  await ask(page);
  await expect(page.getByTestId('routes-read-only')).toBeChecked();
  await page.getByTestId('routes-begin').click();
  await expect(state(page, 'two_stage')).toHaveText('Answered');
  await expect(state(page, 'unified')).toHaveText('Answered');
  await expect(cells(page, 'Model calls')).toHaveText(['3', '2']);
  await expect(cells(page, 'Tool runs')).toHaveText(['2', '1']);
  await expect(cells(page, 'Refused repeats')).toHaveText(['0', '1']);
  await expect(page.getByTestId('answer-two_stage')).toContainText('flags');
  await expect(page.getByTestId('answer-unified')).toContainText('flags');
  // Each is a session of its own, and this one stays as it was.
  await page.getByTestId('answer-unified').getByRole('button', { name: 'Open its session' }).click();
  await expect(dialog(page)).toHaveCount(0);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Unified: How does the config loader work?');
  await expect(page.getByRole('article')).toHaveCount(1);
});

test('the size of a copy is there before one is made, and a copy goes with its turn', async ({ page, open }) => {
  await open('finished', 0.2);
  await ask(page);
  await expect(page.getByTestId('copy-size')).toHaveText(
    '12 files, 48 KB each, without ignored files and 2 links or special files.',
  );
  await page.getByTestId('routes-copy').check();
  await page.getByTestId('routes-begin').click();
  await expect(state(page, 'unified')).toHaveText('Answered');
  for (const route of ['two_stage', 'unified'])
    await expect(page.getByTestId(`answer-${route}`)).toContainText('It worked in a copy, which has been removed.');
});

test('A4: a stop ends the turn that runs, and the other one does not begin', async ({ page, open }) => {
  // Slow enough that the stop comes while the first turn runs, on any machine.
  await open('finished', 20);
  await ask(page);
  await page.getByTestId('routes-copy').check();
  await page.getByTestId('routes-begin').click();
  await expect(page.getByTestId('answer-two_stage')).toContainText('It works in /tmp/orion-copy-two_stage/foxes');
  await page.getByTestId('routes-stop').click();
  await expect(state(page, 'two_stage')).toHaveText('Stopped');
  await expect(state(page, 'unified')).toHaveText('Not begun');
  await expect(page.getByTestId('routes-stop')).toHaveCount(0);
});

test('by keyboard alone: the menu, the choice, the comparison, the way to a session; and it is there again after Esc', async ({
  page,
  open,
}) => {
  await open('finished', 0.2);
  await expect(words(page)).toHaveText('Answered');
  await page.getByRole('button', { name: 'Actions for the message' }).focus();
  await page.keyboard.press('Enter');
  const item = page.getByRole('menuitem', { name: 'Compare with the other route…' });
  await expect(item).toBeVisible();
  await item.focus();
  await page.keyboard.press('Enter');
  await expect(dialog(page)).toBeFocused();
  await page.getByTestId('routes-begin').focus();
  await page.keyboard.press('Enter');
  await expect(state(page, 'unified')).toHaveText('Answered');
  expect(await inaccessible(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(dialog(page)).toHaveCount(0);
  await page.getByRole('button', { name: 'Actions for the message' }).click();
  await page.getByRole('menuitem', { name: 'Compare with the other route…' }).click();
  await expect(state(page, 'two_stage')).toHaveText('Answered');
});

test('an imported session offers no comparison', async ({ page, open }) => {
  await open('imported', 0.2);
  await expect(page.getByTestId('read-only')).toBeVisible();
  await expect(page.getByRole('menuitem', { name: 'Compare with the other route…' })).toHaveCount(0);
  await expect(page.getByRole('article').getByRole('button', { name: /^Actions for/ })).toHaveCount(0);
});

async function compared(page: Page): Promise<void> {
  await ask(page);
  await page.getByTestId('routes-begin').click();
  await expect(state(page, 'unified')).toHaveText('Answered');
}

fits({
  'routes-asked': { scene: 'finished', reach: ask },
  'routes-compared': { scene: 'finished', reach: compared },
});
