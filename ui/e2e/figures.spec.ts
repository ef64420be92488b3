// What turns came to: sums, charts, the table of turns, and the slowest calls.

import { expect, type Page } from '@playwright/test';
import { inaccessible } from './accessible';
import { test } from './kept';

const dialog = (page: Page) => page.getByTestId('figures');
const rows = (page: Page) => page.getByTestId('figures-turn');
const cells = (page: Page, column: string) => rows(page).locator(`[data-column="${column}"]`);

async function openByPalette(page: Page): Promise<void> {
  await expect(page.getByTestId('composer')).toBeFocused();
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog').getByRole('combobox');
  await expect(palette).toBeFocused();
  await palette.fill('Figures');
  await palette.press('Enter');
  await expect(rows(page).first()).toBeVisible();
}

test('the figures of the session, of the project, and of everything', async ({ open, page }) => {
  await open('figures');
  await openByPalette(page);
  await expect(page.getByTestId('scope-session')).toHaveAttribute('aria-pressed', 'true');
  await expect(page.getByTestId('figures-sum')).toContainText('12 turns');
  await page.getByTestId('scope-project').click();
  await expect(page.getByTestId('figures-sum')).toContainText('500 turns');
  await expect(page.getByTestId('chart')).toHaveCount(4);
  await expect(page.getByTestId('totals').getByRole('row')).toHaveCount(5);
  await expect(page.getByTestId('slowest').getByRole('listitem')).toHaveCount(10);
  await expect(page.getByTestId('figures-turns')).toHaveAttribute('aria-rowcount', '501');
  // Only rows in view are there.
  expect(await rows(page).count()).toBeLessThan(60);
});

test('turns are ordered by any column and found by words, route, model and trouble', async ({ open, page }) => {
  await open('figures');
  await openByPalette(page);
  await page.getByTestId('scope-everything').click();
  await expect(page.getByTestId('figures-turns')).toHaveAttribute('aria-rowcount', '501');
  const head = (name: string) => page.getByTestId('figures-turns').getByRole('columnheader').filter({ hasText: name });
  await head('Tokens').getByRole('button').click();
  await expect(head('Tokens')).toHaveAttribute('aria-sort', 'descending');
  const tokens = (await cells(page, 'tokens').allInnerTexts()).map((text) => Number(text.replaceAll(',', '')));
  expect(tokens).toEqual(tokens.toSorted((a, b) => b - a));
  // What nobody counted comes last in both directions.
  await head('Cost').getByRole('button').click();
  await head('Cost').getByRole('button').click();
  await expect(cells(page, 'cost').first()).toContainText('$');
  await page.getByTestId('figures-route').selectOption('unified');
  await page.getByTestId('figures-model').selectOption('qwen3:8b');
  await page.getByTestId('figures-problems').check();
  await page.getByTestId('figures-search').fill('parser');
  await expect(cells(page, 'text').first()).toHaveText('What changed in the parser?');
  expect(new Set(await cells(page, 'route').allInnerTexts())).toEqual(new Set(['Unified']));
  await page.getByTestId('figures-search').fill('no such words');
  await expect(rows(page)).toHaveCount(0);
  await page.getByRole('button', { name: 'Show everything' }).click();
  await expect(page.getByTestId('figures-turns')).toHaveAttribute('aria-rowcount', '501');
});

test('a turn far back in its session is opened by keyboard alone', async ({ open, page }) => {
  await open('figures');
  await openByPalette(page);
  await page.getByTestId('figures-turns').focus();
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  await page.keyboard.press('Enter');
  await expect(dialog(page)).toHaveCount(0);
  const turn = page.locator('[data-turn="t-5"]');
  await expect(turn).toBeInViewport();
  await expect(page.getByTestId('timeline')).toBeVisible();
  // The chat goes on in both directions.
  await expect(page.locator('[data-turn="t-4"]')).toBeAttached();
  await expect(page.locator('[data-turn="t-6"]')).toBeAttached();
});

test('a session that has ended no turn says so, and the menu of a project leads here', async ({ open, page }) => {
  await open('finished');
  await page.getByRole('button', { name: 'Actions for foxes' }).click();
  await page.getByRole('menuitem', { name: 'Figures' }).click();
  await expect(page.getByTestId('no-figures')).toHaveText('No turn has ended here yet.');
  await expect(page.getByTestId('scope-project')).toHaveAttribute('aria-pressed', 'true');
  await page.keyboard.press('Escape');
  await expect(dialog(page)).toHaveCount(0);
});

test('two turns are compared: their figures, their steps, and the first difference', async ({ open, page }) => {
  await open('figures');
  await openByPalette(page);
  await expect(page.getByTestId('figures-compare')).toBeDisabled();
  await page.getByTestId('figures-turns').focus();
  // By keyboard alone: the first and the second row.
  await page.keyboard.press(' ');
  await page.keyboard.press('j');
  await page.keyboard.press(' ');
  await expect(page.getByTestId('figures-compare')).toHaveText('Compare (2 of 2)');
  await page.keyboard.press('c');
  await expect(page.getByTestId('compared-words')).toContainText('First difference:');
  const steps = page.getByTestId('compared-steps').getByRole('listitem');
  await expect(steps.first()).toHaveAttribute('data-same', 'true');
  await expect(steps.nth(2)).toHaveAttribute('data-same', 'false');
  await expect(page.getByTestId('compared').locator('[data-figure="tokens"]')).toContainText('%');
  expect(await inaccessible(page, '[data-testid="figures"]')).toEqual([]);
  await page.getByTestId('compared-back').click();
  // What was marked is marked still; another one takes the place of the second.
  await expect(page.getByTestId('figures-mark').nth(1)).toBeChecked();
  await page.getByTestId('figures-mark').nth(2).check();
  await expect(page.getByTestId('figures-mark').nth(1)).not.toBeChecked();
  await page.getByTestId('figures-compare').click();
  await expect(page.getByTestId('compared-words')).toHaveText('Both took the same steps.');
});

for (const [width, height] of [
  [1280, 800],
  [800, 600],
] as const) {
  for (const colorScheme of ['light', 'dark'] as const) {
    test(`nothing is cut off, and axe finds nothing: ${colorScheme}, ${width}`, async ({ open, page }) => {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme });
      await open('figures');
      await openByPalette(page);
      await page.getByTestId('scope-project').click();
      await expect(page.getByTestId('figures-turns')).toHaveAttribute('aria-rowcount', '501');
      await expect(dialog(page)).toBeVisible();
      const body = dialog(page).locator('.figures');
      expect(await body.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
      expect(await inaccessible(page, '[data-testid="figures"]')).toEqual([]);
    });
  }
}
