// The list of sessions: by day, with what happened; pinned, archived, selected, found; by mouse and by keyboard alone.

import type { Page } from '@playwright/test';
import { inaccessible } from './accessible';
import { expect, test } from './window';

/** An hour after the newest session of the recordings. */
const NOW = new Date('2026-03-12T13:00:00Z');

test.use({ timezoneId: 'UTC' });
test.beforeEach(({ page }) => page.clock.setFixedTime(NOW));

const items = (page: Page) => page.getByTestId('session-item');
const item = (page: Page, name: string) => items(page).filter({ hasText: name });
const open = (page: Page, name: string) => page.getByRole('treeitem', { name: new RegExp(`^${name}`) });
const groups = (page: Page, project: string) =>
  page
    .getByRole('group', { name: project, exact: true })
    .getByRole('group')
    .evaluateAll((all) => all.map((group) => group.getAttribute('aria-label')));

async function menu(page: Page, name: string, action: string): Promise<void> {
  await item(page, name).click({ button: 'right' });
  await page.getByRole('menuitem', { name: action, exact: true }).click();
}

test('sessions stand by day, each with its time and what happened', async ({ page, open: show }) => {
  await show('sidebar');
  await expect
    .poll(() => groups(page, 'foxes'))
    .toEqual(['Pinned', 'Today', 'Yesterday', 'Tuesday 10 Mar', 'February', 'December 2025']);
  await expect(open(page, 'How does the config loader work')).toHaveAccessibleName(
    'How does the config loader work?, 12:00',
  );
  await expect(open(page, 'Release notes')).toHaveAccessibleName(
    'Release notes for 0.4, 16:00 · 8 lines added, 2 removed',
  );
  await expect(open(page, 'Release notes').getByTestId('came')).toHaveText('+8 −2 · 16:00');
  await expect(open(page, 'Which licence')).toHaveAccessibleName(
    'Which licence do the dens have?, waits for you, 11:00',
  );
  await expect(open(page, 'Count the hares')).toHaveAccessibleName('Count the hares, 10:00 · stopped');
});

test('a title ends at a word, and a tooltip has all of it', async ({ page, open: show }) => {
  await show('sidebar');
  const long = items(page).filter({ hasText: 'Why do two' });
  await expect(long.locator('.title')).toHaveText(/^(Why|do|two|foxes|share|a|den|in|the|winter|simulation| )+…$/);
  await expect(long).toHaveAttribute('title', 'Why do two foxes share a den in the winter simulation of last year?');
  // With the menu beside it the last words go, and no letter is cut.
  await long.hover();
  const clipped = await long.locator('.title').evaluate((title) => title.scrollWidth - title.clientWidth);
  expect(clipped).toBe(0);
});

test('one tab stop leads into the list, and arrows, Home, End and letters move in it', async ({ page, open: show }) => {
  await show('sidebar');
  await expect(items(page)).toHaveCount(9);
  expect(await page.getByRole('tree').locator('[tabindex="0"]').count()).toBe(1);
  await page.getByTestId('filter-sessions').focus();
  await page.keyboard.press('Tab');
  await expect(open(page, 'How does the config loader')).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(open(page, 'Which licence')).toBeFocused();
  await page.keyboard.press('Home');
  await expect(page.getByTestId('project-item').first()).toBeFocused();
  await page.keyboard.press('End');
  await expect(open(page, 'Rounding')).toBeFocused();
  await page.keyboard.press('c');
  await expect(open(page, 'Count')).toBeFocused();
  await page.keyboard.press('ArrowLeft');
  await expect(page.getByTestId('project-item').first()).toBeFocused();
  await page.keyboard.press('ArrowLeft');
  await expect(items(page)).toHaveCount(1);
  await page.keyboard.press('ArrowRight');
  await expect(items(page)).toHaveCount(9);
  // The next tab leaves the list.
  await page.keyboard.press('Tab');
  await expect(page.getByTestId('open-folder')).toBeFocused();
  await page.keyboard.press('Shift+Tab');
  await expect(page.getByTestId('project-item').first()).toBeFocused();
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Rounding in the cart');
});

test('F2 renames in place over the whole width, and Escape keeps the name', async ({ page, open: show }) => {
  await show('sidebar');
  await open(page, 'Release notes').focus();
  await page.keyboard.press('F2');
  const field = page.getByLabel('Name of the session');
  await expect(field).toBeFocused();
  const widths = await field.evaluate((it) => [
    it.getBoundingClientRect().width,
    it.closest('[role=treeitem]')?.getBoundingClientRect().width ?? 0,
  ]);
  expect(widths[0]).toBe(widths[1]);
  await page.keyboard.type('Notes');
  await page.keyboard.press('Escape');
  await expect(open(page, 'Release notes')).toBeFocused();
  await page.keyboard.press('F2');
  await expect(field).toBeFocused();
  await page.keyboard.type('Notes of the release');
  await page.keyboard.press('Enter');
  await expect(open(page, 'Notes of the release')).toBeFocused();
});

test('Delete asks once, and the keyboard goes on behind what was deleted', async ({ page, open: show }) => {
  await show('sidebar');
  await open(page, 'Which licence').focus();
  await page.keyboard.press('Delete');
  const question = page.getByRole('alertdialog', { name: 'Delete this session?' });
  await expect.poll(() => question.evaluate((it) => it.contains(document.activeElement))).toBe(true);
  await page.keyboard.press('Escape');
  await expect(open(page, 'Which licence')).toBeFocused();
  await page.keyboard.press('Shift+ArrowDown');
  await expect(open(page, 'Count')).toBeFocused();
  await page.keyboard.press('Delete');
  await page.getByRole('alertdialog', { name: 'Delete 2 sessions?' }).getByRole('button', { name: 'Delete' }).click();
  await expect(items(page)).toHaveCount(7);
  await expect(open(page, 'Release notes')).toBeFocused();
});

test('several are selected with Ctrl and Shift, and archived after one question', async ({ page, open: show }) => {
  await show('sidebar');
  await item(page, 'Which licence').click({ modifiers: ['Control'] });
  await item(page, 'Release notes').click({ modifiers: ['Shift'] });
  await expect(page.locator('[aria-selected=true]')).toHaveCount(3);
  await item(page, 'Count the hares').click({ modifiers: ['Control'] });
  await expect(page.locator('[aria-selected=true]')).toHaveCount(2);
  // What is open stays open.
  await expect(page.getByRole('heading', { level: 1 })).toContainText('How does the config loader work?');
  await menu(page, 'Release notes', 'Archive 2 sessions');
  await page.getByRole('alertdialog', { name: 'Archive 2 sessions?' }).getByRole('button', { name: 'Archive' }).click();
  await expect(items(page)).toHaveCount(7);
  await expect(page.locator('[aria-selected=true]')).toHaveCount(0);
  const archive = page.getByTestId('archive');
  await expect(archive).toHaveText('Archived (3)');
  await archive.click();
  await expect(items(page)).toHaveCount(10);
  await menu(page, 'Release notes', 'Take out of the archive');
  await expect(archive).toHaveText('Archived (2)');
});

test('a session is pinned to the top of its project, and unpinned', async ({ page, open: show }) => {
  await show('sidebar');
  await menu(page, 'Release notes', 'Pin');
  await expect(page.getByRole('group', { name: 'Pinned' }).getByTestId('session-item')).toHaveCount(2);
  await menu(page, 'Release notes', 'Unpin');
  await expect(page.getByRole('group', { name: 'Pinned' }).getByTestId('session-item')).toHaveCount(1);
});

test('the filter leaves what has its words, and Escape brings all back', async ({ page, open: show }) => {
  await show('sidebar');
  const filter = page.getByTestId('filter-sessions');
  await filter.fill('fox den');
  await expect(items(page)).toHaveCount(2);
  await filter.press('ArrowDown');
  await expect(page.getByRole('tree').locator(':focus')).toHaveCount(1);
  await filter.fill('nothing like that');
  await expect(page.getByText('Nothing matches.')).toBeVisible();
  await filter.press('Escape');
  await expect(items(page)).toHaveCount(9);
  await expect(filter).toHaveValue('');
});

test('the menu key opens the menu of an item, and gives the keyboard back to it', async ({ page, open: show }) => {
  await show('sidebar');
  await open(page, 'Release notes').focus();
  await page.keyboard.press('Shift+F10');
  await expect(page.getByRole('menuitem', { name: 'Rename' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(open(page, 'Release notes')).toBeFocused();
});

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(colorScheme, () => {
    test.use({ colorScheme });
    test('everybody can use the list, also with a selection, an archive and a name that is changed', async ({
      page,
      open: show,
    }) => {
      await show('sidebar');
      await page.getByTestId('archive').click();
      await item(page, 'Which licence').click({ modifiers: ['Control'] });
      await open(page, 'Release notes').focus();
      await page.keyboard.press('F2');
      await expect(page.getByLabel('Name of the session')).toBeFocused();
      expect(await inaccessible(page)).toEqual([]);
    });
  });
}

test('a fork has an icon in the place of a word before its title', async ({ page, open: show }) => {
  await show('sidebar');
  const fork = page.getByTestId('session-item').filter({ hasText: 'Sort the sightings' });
  await expect(fork.locator('[data-kind=fork]')).toBeVisible();
  await expect(fork).not.toContainText('Fork');
  await expect(fork).toHaveAccessibleName(/^Fork 2: Sort the sightings/);
});
