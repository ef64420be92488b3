// A dialog over the window covers it: no rail, no head that stays in view, no round arrow is above a dialog. And what has the keyboard in the window before has it
// again when the dialog is closed.

import type { Page } from '@playwright/test';
import { test } from './kept';
import { expect, words } from './window';

/** Parts of the window that are seen above what is over all of it. */
const uncovered = (page: Page) =>
  page.evaluate(() => {
    // A thing that takes no press is painted all the same, so that for a moment everything takes one.
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('* { pointer-events: auto !important }');
    document.adoptedStyleSheets.push(sheet);
    const parts = document.querySelectorAll('#app :is(button, a, textarea, [data-first] ol, header, th, pre)');
    const seen = [...parts].flatMap((part) => {
      const { left, top, width, height } = part.getBoundingClientRect();
      const at = width > 0 ? document.elementFromPoint(left + width / 2, top + Math.min(height, 40) / 2) : null;
      return at?.closest('#app') ? [part.outerHTML.slice(0, 80)] : [];
    });
    document.adoptedStyleSheets.pop();
    return seen;
  });

const command = (name: string) => async (page: Page) => {
  await page.keyboard.press('Control+k');
  await page.keyboard.type(name);
  await page.keyboard.press('Enter');
};

const DIALOGS: Record<string, (page: Page) => Promise<void>> = {
  settings: (page) => page.keyboard.press('Control+,'),
  palette: (page) => page.keyboard.press('Control+k'),
  export: command('Export the session'),
  figures: command('Figures'),
  computer: command('About this computer'),
  connect: command('Connect a model'),
  shortcuts: command('List the shortcuts'),
};

for (const scene of ['long', 'write-ready'])
  test(`nothing of the window is above a dialog, and the keyboard comes back: ${scene}`, async ({ page, open }) => {
    await open(scene);
    await expect(words(page)).toHaveText(scene === 'long' ? 'Answered' : 'Waiting for your approval');
    if (scene === 'long') {
      await page.getByRole('region', { name: 'Conversation' }).evaluate((region) => (region.scrollTop -= 1_500));
      await expect(page.getByTestId('jump-latest')).toBeVisible();
    } else await expect(page.getByTestId('row').first()).toBeVisible();
    for (const [name, show] of Object.entries(DIALOGS)) {
      await page.getByTestId('composer').focus();
      await show(page);
      await expect(page.getByRole('dialog').last(), name).toBeVisible();
      await expect.poll(() => uncovered(page), name).toEqual([]);
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog'), name).toHaveCount(0);
      await expect(page.getByTestId('composer'), name).toBeFocused();
    }
  });
