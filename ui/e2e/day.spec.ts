// A day's work from the first folder to the export, twice: by the keyboard alone in a small dark window, and by the mouse in a large light one. The keyboard
// is never lost: after each act it is somewhere, and what comes next is reached with the tab key.

import type { Locator, Page } from '@playwright/test';
import { fromEnd, expect, send, test, words } from './window';

const rail = (page: Page) => page.getByRole('list', { name: 'Steps of this turn' }).last();
const articles = (page: Page) => page.getByRole('article');
const item = (page: Page, name: string) => page.getByTestId('session-item').filter({ hasText: name });

/** The keyboard is somewhere: what had it may be gone. */
const held = (page: Page, when: string) =>
  expect
    .poll(() => page.evaluate(() => document.activeElement !== null && document.activeElement !== document.body), {
      message: `the keyboard is lost: ${when}`,
    })
    .toBe(true);

const SOME = 60;

/** Goes to a control by the tab key, from wherever the keyboard is, the shorter way. */
async function goTo(page: Page, to: Locator, key = 'Tab'): Promise<void> {
  await expect(to).toBeVisible();
  const isThere = () => to.evaluate((it) => it === document.activeElement);
  for (let pressed = 0; !(await isThere()); pressed += 1) {
    if (pressed === SOME) throw new Error(`the tab key does not reach ${to.toString()}`);
    await page.keyboard.press(key);
  }
}

async function press(page: Page, to: Locator, key = 'Tab'): Promise<void> {
  await expect(to).toBeEnabled();
  await goTo(page, to, key);
  await page.keyboard.press('Enter');
}

async function say(page: Page, text: string): Promise<void> {
  const composer = page.getByTestId('composer');
  await expect(composer).toBeFocused();
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
}

test.describe('by the keyboard alone', () => {
  test.use({ viewport: { width: 800, height: 600 }, colorScheme: 'dark', contextOptions: { reducedMotion: 'reduce' } });

  test('a day is worked from a folder to an export, and the keyboard is never lost', async ({ page, open }) => {
    await open('day', 0.2);
    await press(page, page.getByTestId('open-folder').first());
    await expect(page.getByTestId('composer')).toBeFocused();

    await say(page, 'How does the config loader work?');
    await expect(words(page)).toHaveText('Answered');
    await goTo(page, page.getByTestId('fold').first(), 'Shift+Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await goTo(page, page.getByTestId('tool-box-toggle').first());
    await page.keyboard.press('Enter');
    await expect(page.getByTestId('tool-result')).toBeVisible();

    await goTo(page, page.getByTestId('composer'));
    await say(page, 'Correct the opening hours.');
    await expect(words(page)).toHaveText('Waiting for your approval');
    await page.keyboard.press('Control+d');
    await held(page, 'the preview has it');
    await page.keyboard.press('n');
    await page.keyboard.press('x');
    await expect(page.getByTestId('write-approve')).toHaveText('Approve 1 of 2');
    await expect(page.getByTestId('write-approve')).toBeEnabled();
    await page.keyboard.press('Control+Enter');
    await expect(words(page)).toHaveText('Answered');
    await held(page, 'a write was approved');

    await goTo(page, page.getByTestId('composer'));
    await say(page, 'Do the tests pass?');
    await expect(words(page)).toHaveText('Waiting for your approval');
    await press(page, page.getByTestId('approve'));
    await expect(words(page)).toHaveText('Answered');
    await held(page, 'a command was allowed');

    await goTo(page, page.getByTestId('composer'));
    await say(page, 'Read all the parts.');
    await expect(words(page)).toHaveText('Reading a file');
    await goTo(page, rail(page).locator('[tabindex="0"]'), 'Shift+Tab');
    await page.keyboard.press('End');
    await expect(page.getByTestId('stop-ahead')).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.getByTestId('pause-card')).toBeVisible();
    await held(page, 'the turn paused');
    await press(page, page.getByTestId('pause-resume'));
    await expect(words(page)).toHaveText('Answered');
    await held(page, 'the turn was resumed');

    await goTo(page, articles(page).nth(1).getByRole('button', { name: 'Actions for the message' }), 'Shift+Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Rewind');
    await expect(page.getByRole('menuitem', { name: 'Rewind to here' })).toBeFocused();
    await page.keyboard.press('Enter');
    await press(page, page.getByTestId('rewind-go'));
    await expect(articles(page)).toHaveCount(1);
    await expect(page.getByTestId('composer')).toBeFocused();
    await press(page, page.getByTestId('rewind-undo'), 'Shift+Tab');
    await expect(articles(page)).toHaveCount(4);
    await held(page, 'the rewind was undone');

    await page.keyboard.press('Control+b');
    await held(page, 'the sidebar came');
    await goTo(page, page.getByTestId('session-item').first());
    await page.keyboard.press('F2');
    await page.keyboard.type('Hours of the library');
    await page.keyboard.press('Enter');
    await expect(item(page, 'Hours of the library')).toBeFocused();
    await goTo(page, page.getByTestId('filter-sessions'), 'Shift+Tab');
    await page.keyboard.type('hours');
    await expect(page.getByTestId('session-item')).toHaveCount(1);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await expect(page.getByTestId('session-item')).toHaveCount(0);
    await held(page, 'the sidebar closed');

    await page.keyboard.press('Control+,');
    await expect(page.getByTestId('settings-dialog')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByTestId('settings-dialog')).toHaveCount(0);
    await held(page, 'the settings closed');

    await page.keyboard.press('Control+k');
    await page.keyboard.type('Export the session');
    await page.keyboard.press('Enter');
    await press(page, page.getByTestId('export-save'));
    await expect(page.getByTestId('exported')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await held(page, 'the export closed');
  });
});

test.describe('by the mouse', () => {
  test.use({ colorScheme: 'light', contextOptions: { reducedMotion: 'reduce' } });

  test('a day is worked from a folder to an export, and the newest is in view', async ({ page, open }) => {
    await open('day', 0.2);
    await page.getByTestId('open-folder').first().click();
    await send(page, 'How does the config loader work?');
    await expect(words(page)).toHaveText('Answered');
    await page.getByTestId('stop-tool').last().click();
    await expect(page.getByTestId('tool-result')).toBeInViewport();

    await send(page, 'Correct the opening hours.');
    await expect(words(page)).toHaveText('Waiting for your approval');
    await page.getByRole('button', { name: 'Reject change 1' }).click();
    await expect(page.getByTestId('write-approve')).toHaveText('Approve 1 of 2');
    await page.getByTestId('write-approve').click();
    await expect(page.getByTestId('write-box')).toContainText('1 of 2 changes');

    await send(page, 'Correct the opening hours again.');
    await expect(words(page)).toHaveText('Waiting for your approval');
    await page.getByTestId('write-reject').click();
    await expect(page.getByTestId('write-box').last()).toContainText('nothing written');

    await send(page, 'Do the tests pass?');
    await expect(words(page)).toHaveText('Waiting for your approval');
    await page.getByTestId('refuse').click();
    await expect(words(page)).toHaveText('Answered');

    await send(page, 'Read all the parts.');
    await expect(words(page)).toHaveText('Reading a file');
    await page.getByTestId('stop-ahead').click();
    await page.getByTestId('pause-resume').click();
    await expect(words(page)).toHaveText('Answered');
    await expect.poll(() => fromEnd(page)).toBeLessThan(2);

    await articles(page).nth(1).getByRole('button', { name: 'Actions for the message' }).click();
    await page.getByRole('menuitem', { name: 'Rewind to here' }).click();
    await page.getByTestId('rewind-go').click();
    await expect(articles(page)).toHaveCount(1);
    await page.getByTestId('rewind-undo').click();
    await expect(articles(page)).toHaveCount(5);

    await page.getByTestId('session-item').first().click({ button: 'right' });
    await page.getByRole('menuitem', { name: /Rename/ }).click();
    await page.getByLabel('Name of the session').fill('Hours of the library');
    await page.getByTestId('filter-sessions').click();
    await page.getByTestId('filter-sessions').fill('hours');
    await expect(page.getByTestId('session-item')).toHaveText([/Hours of the library/]);
    await page.getByTestId('filter-sessions').fill('');

    await page.getByTestId('settings').click();
    await page.getByTestId('settings-dialog').getByRole('button', { name: 'Close' }).click();
    await page.getByTestId('session-item').first().click({ button: 'right' });
    await page.getByRole('menuitem', { name: /Export/ }).click();
    await page.getByTestId('export-save').click();
    await expect(page.getByTestId('exported')).toBeVisible();
  });
});
