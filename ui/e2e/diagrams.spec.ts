// Diagrams, which are drawn in a frame that can do nothing else.

import type { Locator, Page } from '@playwright/test';
import { inaccessible } from './accessible';
import { copyBy, expect, test } from './window';

const answer = (page: Page): Locator => page.getByTestId('answer').last();

/** Everything that the page and its frames ask for from elsewhere than the window itself. */
function requests(page: Page): () => string[] {
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  return () =>
    asked.filter(
      (url) => !url.startsWith(new URL(page.url()).origin) && !url.startsWith('data:') && url !== 'about:srcdoc',
    );
}

test('each common kind of diagram is drawn, in a frame without an origin', async ({ page, open }) => {
  const elsewhere = requests(page);
  await page.setViewportSize({ width: 1280, height: 4_000 });
  await open('diagrams');
  const drawn = answer(page).getByTestId('diagram').getByRole('img', { name: 'Diagram' });
  await expect(drawn).toHaveCount(8);
  for (const image of await drawn.all())
    await expect
      .poll(() => image.evaluate((one: HTMLImageElement) => one.complete && one.naturalWidth > 50))
      .toBe(true);
  // The window has no part of it but pictures.
  await expect(answer(page).locator('.mermaid, svg [id*=diagram], iframe')).toHaveCount(0);
  expect(await page.evaluate(() => 'mermaid' in window)).toBe(false);
  const frame = page.locator('iframe');
  await expect(frame).toHaveAttribute('sandbox', 'allow-scripts');
  const inside = page.frames().find((one) => one.parentFrame() !== null);
  expect(await inside?.evaluate(() => self.origin)).toBe('null');
  // The frame does not reach the window.
  expect(
    await inside?.evaluate(() => {
      const tried = (act: () => unknown) => {
        try {
          act();
          return 'did';
        } catch {
          return 'refused';
        }
      };
      return [
        tried(() => parent.document.title),
        tried(() => localStorage.length),
        document.querySelector('meta[http-equiv]')?.getAttribute('content'),
      ];
    }),
  ).toEqual(['refused', 'refused', "default-src 'none';style-src 'unsafe-inline'"]);
  expect(elsewhere()).toEqual([]);
});

test('a diagram has its source one press away, and is copied as it was written', async ({ page, context, open }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await open('rich');
  const diagram = answer(page).getByTestId('diagram');
  await diagram.scrollIntoViewIfNeeded();
  await expect(diagram.getByRole('img')).toBeVisible();
  await diagram.getByRole('button', { name: 'Source', exact: true }).press('Enter');
  await expect(diagram).toContainText('file[config.toml] --> read{Is there a file?}');
  await expect(diagram.getByRole('img')).toHaveCount(0);
  await copyBy(diagram.getByRole('button', { name: 'Copy source' }));
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^flowchart LR\n {2}file\[config\.toml\]/);
});

test('a diagram is drawn anew for the dark', async ({ page, open }) => {
  await open('rich');
  const image = answer(page).getByTestId('diagram').getByRole('img');
  await image.scrollIntoViewIfNeeded();
  const light = await image.getAttribute('src');
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect(image).not.toHaveAttribute('src', light ?? '');
});

test('the library for diagrams is fetched only when one can be seen', async ({ page, open }) => {
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await open('finished');
  await expect(answer(page)).toBeVisible();
  await page.waitForLoadState('networkidle');
  expect(asked.filter((url) => /mermaid|diagramFrame/.test(url))).toEqual([]);
});

test('hostile diagrams: nothing runs, nothing is asked for, nothing leads away, and what is none or has too much stays its source', async ({
  page,
  open,
}) => {
  const elsewhere = requests(page);
  await page.setViewportSize({ width: 1280, height: 4_000 });
  await open('hostile-diagrams');
  const before = page.url();
  const all = answer(page).getByTestId('diagram');
  await expect(all).toHaveCount(19);
  const isDrawn = [1, 2, 4, 5, 6, 11, 13, 14];
  for (const index of isDrawn) {
    await all.nth(index).scrollIntoViewIfNeeded();
    await expect(all.nth(index).getByRole('img')).toBeVisible();
  }
  for (const index of [0, 3, 7, 10, 12, 15, 16, 17, 18]) {
    await all.nth(index).scrollIntoViewIfNeeded();
    await expect(all.nth(index).getByRole('img')).toHaveCount(0);
  }
  for (const image of await answer(page).getByRole('img').all()) {
    const drawing = decodeURIComponent((await image.getAttribute('src')) ?? '');
    expect(drawing).toMatch(/^data:image\/svg\+xml;charset=utf-8,<svg/);
    expect(drawing).not.toMatch(/<script|<foreignObject|<image|<iframe|href="javascript:/i);
  }
  await answer(page)
    .getByRole('img')
    .first()
    .click({ position: { x: 5, y: 5 } });
  await expect(answer(page).locator('a, script, iframe, form, input')).toHaveCount(0);
  expect(await page.evaluate(() => ['__ran' in window, 'polluted' in {}])).toEqual([false, false]);
  for (const frame of page.frames())
    expect(await frame.evaluate(() => ['__ran' in window, 'polluted' in {}])).toEqual([false, false]);
  expect(elsewhere()).toEqual([]);
  expect(page.url()).toBe(before);
});

for (const theme of ['light', 'dark'] as const) {
  test(`diagrams hold up to axe, ${theme}`, async ({ page, open }) => {
    await page.emulateMedia({ colorScheme: theme });
    await page.setViewportSize({ width: 800, height: 600 });
    await open('rich');
    await answer(page).getByTestId('diagram').getByRole('img').scrollIntoViewIfNeeded();
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    expect(await inaccessible(page)).toEqual([]);
  });
}
