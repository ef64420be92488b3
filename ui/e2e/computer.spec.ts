// About this computer: what is wrong comes first, with what to do; all that was found can be copied.

import type { Page } from '@playwright/test';
import { inaccessible } from './accessible';
import { fits } from './looks';
import { copyBy, expect, test } from './window';

const dialog = (page: Page) => page.getByRole('dialog', { name: 'About this computer' });
const headline = (page: Page) => dialog(page).getByTestId('headline');
const troubles = (page: Page) => dialog(page).getByTestId('trouble');

/** By the menu at the foot of the sidebar, which may be a drawer. */
async function lookByHelp(page: Page): Promise<void> {
  const help = page.getByRole('button', { name: 'Help', exact: true });
  if (!(await help.isVisible())) await page.getByRole('button', { name: 'Sidebar' }).click();
  await help.click();
  await page.getByRole('menuitem', { name: 'About this computer' }).click();
  await expect(dialog(page)).toBeVisible();
}

test('Help leads there, and what is wrong comes first, each with what to do', async ({ page, open }) => {
  await open('computer');
  await lookByHelp(page);
  await expect(dialog(page)).toBeFocused();
  await expect(headline(page)).toHaveText('1 thing does not work, 1 warning.');
  await expect(dialog(page).getByTestId('built')).toHaveText('Orion 0.2.0 (5dade4d5)');
  // What does not work stands before what is only a warning.
  await expect(troubles(page)).toHaveText([
    /^\s*Does not work: Endpoint deepseek: .*refuses the key\s+Give a key that this server takes: Settings › Models/,
    /^\s*Warning: Keychain: none answers\s+Keys are kept only while Orion runs\. Install and unlock a keychain service/,
  ]);
  const found = dialog(page).getByTestId('findings');
  await expect(found.getByRole('term')).toHaveText([
    'System',
    'Window',
    'Display',
    'Keychain',
    'Settings',
    'Data folder',
    'Disk',
    'Clock',
    'Sandbox',
    'Proxy',
    'Endpoint',
    'Model servers',
  ]);
  await expect(found.getByRole('definition').filter({ hasText: 'port 11434' })).toHaveText(
    'ollama: on this computer, port 11434, no key, answers in 3 ms, 14 models',
  );
  await page.keyboard.press('Escape');
  await expect(dialog(page)).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Help', exact: true })).toBeFocused();
});

test('the menu of Help lists the shortcuts and begins the tour, by keyboard alone', async ({ page, open }) => {
  await open('finished');
  const help = page.getByRole('button', { name: 'Help', exact: true });
  await help.press('Enter');
  await expect(page.getByRole('menuitem')).toHaveText(['List the shortcuts', 'Take the tour', 'About this computer']);
  expect(await inaccessible(page, '[role=menu]')).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(help).toBeFocused();
  await help.press('Enter');
  await page.getByRole('menuitem', { name: 'List the shortcuts' }).press('Enter');
  await expect(page.getByRole('dialog', { name: 'Shortcuts' })).toBeVisible();
  await page.keyboard.press('Escape');
  await help.press('Enter');
  await page.getByRole('menuitem', { name: 'Take the tour' }).press('Enter');
  await expect(page.getByTestId('tour')).toBeVisible();
});

test('the palette and a message lead there, and one sentence says that all is well', async ({ page, open }) => {
  await open('finished');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('about this computer');
  await page.keyboard.press('Enter');
  await expect(headline(page)).toHaveText('All is well. Orion has what it needs.');
  await expect(troubles(page)).toHaveCount(0);
  await page.keyboard.press('Escape');
  await page.getByTestId('composer').fill('/doc');
  await page.getByTestId('composer').press('Enter');
  await expect(headline(page)).toHaveText('All is well. Orion has what it needs.');
});

test('the copy begins with the version, and has all that was found', async ({ page, context, open }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await open('computer');
  await lookByHelp(page);
  await expect(dialog(page)).toContainText('Names no key, person, folder or private address.');
  await copyBy(dialog(page).getByTestId('copy-report'));
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied.split('\n').slice(0, 7)).toEqual([
    'Orion 0.2.0 (5dade4d5)',
    '  System: Debian 13.1.0, x86_64',
    '  Window: WebKitGTK 2.50.1',
    '  Display: Wayland, painted by the graphics processor',
    '! Keychain: none answers',
    "    Keys are kept only while Orion runs. Install and unlock a keychain service (gnome-keyring or kwalletmanager), or keep the key in an environment variable and name it in the endpoint's settings.",
    '  Settings: read without a fault',
  ]);
  expect(copied).toContain('\n✗ Endpoint deepseek: key found in the environment, refuses the key\n    Give a key');
});

test('while it looks it says so, and what was found before stays until it has looked again', async ({ page, open }) => {
  // Each look takes long enough to be seen.
  await open('computer', 5);
  await lookByHelp(page);
  await expect(headline(page)).toHaveText(/^Looking at this computer\./);
  await expect(dialog(page).getByTestId('copy-report')).toHaveCount(0);
  await expect(troubles(page)).toHaveCount(2);
  const again = dialog(page).getByTestId('look-again');
  await again.press('Enter');
  await expect(headline(page)).toHaveText('Looking again');
  await expect(troubles(page)).toHaveCount(2);
  await expect(again).toHaveAttribute('aria-disabled', 'true');
  await expect(again).toBeFocused();
  await expect(headline(page)).toHaveText('1 thing does not work, 1 warning.');
});

test('a report that cannot be had says why, and can be asked for again', async ({ page, open }) => {
  await open('computer-failed');
  await lookByHelp(page);
  const card = dialog(page).getByTestId('error-card');
  await expect(card).toContainText('The store did not answer.');
  await card.getByRole('button', { name: 'Look again' }).click();
  await expect(headline(page)).toHaveText('All is well. Orion has what it needs.');
  await expect(card).toHaveCount(0);
});

test('where the data cannot be opened, the window says why and looks at this computer all the same', async ({
  page,
  open,
}) => {
  await open('unopened');
  await expect(page.getByTestId('error-card')).toHaveCount(1);
  await expect(page.getByRole('alert')).toContainText('The data folder was used by a newer Orion.');
  await page.getByRole('button', { name: 'About this computer' }).click();
  await expect(troubles(page)).toHaveCount(2);
});

fits({
  'computer-looking': { scene: 'computer-looking', reach: lookByHelp },
  'computer-well': {
    scene: 'finished',
    reach: async (page) => {
      await lookByHelp(page);
      await expect(dialog(page).getByTestId('findings')).toBeVisible();
    },
  },
  'computer-troubled': {
    scene: 'computer',
    reach: async (page) => {
      await lookByHelp(page);
      await expect(troubles(page)).toHaveCount(2);
    },
  },
  'computer-failed': {
    scene: 'computer-failed',
    reach: async (page) => {
      await lookByHelp(page);
      await expect(dialog(page).getByTestId('error-card')).toBeVisible();
    },
  },
  'computer-hostile': {
    scene: 'everywhere',
    reach: async (page) => {
      await lookByHelp(page);
      await expect(troubles(page).first()).toBeVisible();
    },
  },
  unopened: {
    scene: 'unopened',
    reach: (page) => expect(page.getByRole('button', { name: 'About this computer' })).toBeVisible(),
  },
});
