// How the window behaves: approving from anywhere, the right button, the size of everything, and a window at 200 %.

import type { Page } from '@playwright/test';
import { inaccessible } from './accessible';
import { expect, test, words } from './window';

const zooms = async (page: Page) => {
  await page.evaluate(() => {
    const all: number[] = [];
    Object.assign(window, { zooms: all });
    addEventListener('orion:zoom', (event) => all.push((event as CustomEvent<number>).detail));
  });
  return () => page.evaluate(() => (window as unknown as { zooms: number[] }).zooms);
};
const kept = (page: Page) =>
  page.evaluate(
    () => JSON.parse(localStorage.getItem('orion.preferences') ?? '{}') as { zoom: number; textSize: string },
  );

test('Ctrl+Enter approves a write from an empty field, and the button says so', async ({ page, open }) => {
  await open('write-ready', 0.2);
  const button = page.getByTestId('write-approve');
  await expect(button).toHaveAttribute('aria-keyshortcuts', 'Control+Enter');
  expect(await button.evaluate((it) => getComputedStyle(it, '::after').content)).toContain('Ctrl+Enter');
  await page.getByTestId('composer').focus();
  await expect(button).toBeEnabled();
  await page.keyboard.press('Control+Enter');
  await expect(page.getByTestId('write-box')).toContainText('written');
  await expect(button).toHaveCount(0);
});

test('Ctrl+Enter never approves from a field with text in it', async ({ page, open }) => {
  await open('write-ready');
  await expect(page.getByTestId('write-approve')).toBeEnabled();
  await page.getByTestId('filter-sessions').fill('fox');
  await page.keyboard.press('Control+Enter');
  await page.getByTestId('filter-sessions').fill('');
  await page.getByTestId('composer').fill('And then?');
  await page.keyboard.press('Control+Enter');
  await expect(page.getByTestId('write-approve')).toBeVisible();
  await expect(words(page)).toHaveText(/approval/);
});

test('Ctrl+Enter allows a call once, from wherever the keyboard is', async ({ page, open }) => {
  await open('approval');
  await expect(page.getByTestId('approve')).toHaveAttribute('aria-keyshortcuts', 'Control+Enter');
  await expect(page.getByTestId('approve')).toBeEnabled();
  await page.getByTestId('settings').focus();
  await page.keyboard.press('Control+Enter');
  await expect(page.getByTestId('approval')).toHaveCount(0);
});

test('the right button has a menu of the app, and leaves text fields theirs', async ({ page, open }) => {
  await open('finished');
  await page.evaluate(() => {
    const seen: boolean[] = [];
    Object.assign(window, { seen });
    addEventListener('contextmenu', (event) => seen.push(event.defaultPrevented));
  });
  const answer = page.getByTestId('answer').first();
  await answer.click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Look up in the trace' }).click();
  await expect(page.getByRole('tab', { name: 'Trace' })).toHaveAttribute('aria-selected', 'true');
  await page.getByTestId('composer').click({ button: 'right' });
  await expect(page.getByRole('menu')).toHaveCount(0);
  await page.getByText('Orion', { exact: true }).first().click({ button: 'right' });
  expect(await page.evaluate(() => (window as unknown as { seen: boolean[] }).seen)).toEqual([true, false, true]);
});

test('what is selected is copied by the menu', async ({ page, context, open }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await open('finished');
  const answer = page.getByTestId('answer').first();
  await answer.locator('p').first().selectText();
  await answer.locator('p').first().click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Copy', exact: true }).click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied.trim()).toBe(((await answer.locator('p').first().textContent()) ?? '').trim());
});

test('Ctrl with plus, minus and 0 changes the size of everything, also over a dialog, and it is kept', async ({
  page,
  open,
}) => {
  await open('finished');
  const told = await zooms(page);
  await page.keyboard.press('Control++');
  await page.keyboard.press('Control+=');
  await page.keyboard.press('Control+-');
  await page.keyboard.press('Control+,');
  await page.keyboard.press('Control++');
  await expect.poll(told).toEqual([1.1, 1.25, 1.1, 1.25]);
  await page.reload();
  await expect(page.locator('main')).toBeVisible();
  expect((await kept(page)).zoom).toBe(1.25);
  const again = await zooms(page);
  await page.keyboard.press('Control+0');
  await expect.poll(again).toEqual([1]);
  for (let press = 0; press < 12; press++) await page.keyboard.press('Control+-');
  expect((await again()).at(-1)).toBe(0.5);
});

test('a size that the window does not take is said', async ({ page, open }) => {
  await open('finished');
  await page.evaluate(() => addEventListener('orion:zoom', (event) => event.preventDefault()));
  await page.keyboard.press('Control++');
  await expect(page.getByRole('region', { name: 'Problems' })).toContainText('The window did not change its size.');
});

test('a size of text is chosen in the palette, and kept', async ({ page, open }) => {
  await open('finished');
  const size = () =>
    page
      .getByTestId('answer')
      .first()
      .locator('p')
      .first()
      .evaluate((it) => getComputedStyle(it).fontSize);
  await expect.poll(size).toBe('15px');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Go to anything' }).fill('Text: largest');
  await page.keyboard.press('Enter');
  await expect.poll(size).toBe('18.75px');
  await page.reload();
  await expect(page.getByTestId('answer').first()).toBeVisible();
  await expect.poll(size).toBe('18.75px');
  expect((await kept(page)).textSize).toBe('largest');
});

test.describe('at 200 % in a window of 800×600', () => {
  test.use({ viewport: { width: 400, height: 300 } });

  for (const scene of ['finished', 'streaming', 'approval', 'write-ready', 'sidebar', 'welcome']) {
    test(`nothing of ${scene} is cut off`, async ({ page, open }) => {
      await open(scene);
      if (scene === 'sidebar') await page.keyboard.press('Control+b');
      const folder = process.env['ORION_SCREENSHOTS'];
      if (folder) await page.screenshot({ path: `${folder}/zoomed-${scene}.png` });
      const cut = await page.evaluate(() => {
        const seen = [...document.querySelectorAll('button, input, textarea, select, [role=treeitem]')].filter((it) =>
          (it as HTMLElement).checkVisibility({ opacityProperty: true, visibilityProperty: true }),
        );
        const scrolls = (it: Element | null): boolean =>
          it !== null && (/(auto|scroll)/.test(getComputedStyle(it).overflowY) || scrolls(it.parentElement));
        return seen
          .filter((it) => !scrolls(it.parentElement))
          .flatMap((it) => {
            const { left, right, top, bottom, width } = it.getBoundingClientRect();
            return width > 0 && (left < -0.5 || top < -0.5 || right > innerWidth + 0.5 || bottom > innerHeight + 0.5)
              ? [`${it.outerHTML.slice(0, 120)} ${[left, top, right, bottom].join(' ')}`]
              : [];
          });
      });
      expect(cut).toEqual([]);
      expect(
        await page.evaluate(() => document.scrollingElement!.scrollWidth - document.scrollingElement!.clientWidth),
      ).toBe(0);
      expect(await inaccessible(page)).toEqual([]);
    });
  }
});
