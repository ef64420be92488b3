// Reading an answer: links, paths, the viewer, tables, the menu of the right button.

import type { Locator, Page } from '@playwright/test';
import { inaccessible } from './accessible';
import { copyBy, expect, test } from './window';

/** What the window asked other programs to open, so far. */
async function externals(page: Page): Promise<() => Promise<unknown[]>> {
  await page.evaluate(() => {
    const opened: unknown[] = [];
    Object.assign(window, { opened });
    window.addEventListener('orion:external', (event) => opened.push((event as CustomEvent).detail));
  });
  return () => page.evaluate(() => (window as unknown as { opened: unknown[] }).opened);
}

const answer = (page: Page): Locator => page.getByTestId('answer');

test('a link opens in the browser by mouse and by keyboard, and says where it leads', async ({ page, open }) => {
  await open('reading');
  const opened = await externals(page);
  const book = answer(page).getByRole('link', { name: 'the book' });
  await expect(book).toHaveAttribute('title', 'https://doc.rust-lang.org/book/');
  await book.click();
  await book.press('Enter');
  await answer(page).getByRole('link', { name: 'https://docs.rs/toml/latest/toml/' }).click();
  await answer(page).getByRole('link', { name: 'Ada' }).click();
  await expect.poll(opened).toEqual([
    { type: 'link', address: 'https://doc.rust-lang.org/book/' },
    { type: 'link', address: 'https://doc.rust-lang.org/book/' },
    { type: 'link', address: 'https://docs.rs/toml/latest/toml/' },
    { type: 'link', address: 'mailto:ada@example.org' },
  ]);
  await expect(page).toHaveURL(/replay=reading/);
});

test('a link that says another address tells the real one, and others are text with their address', async ({
  page,
  open,
}) => {
  await open('reading');
  await expect(answer(page)).toContainText('https://bank.example/\u00a0(https://evil.example/login)');
  await expect(answer(page)).toContainText('the editor\u00a0(vscode://file/etc/passwd)');
  await expect(answer(page)).toContainText('a name\u00a0(https://bank.example@evil.example/)');
  await expect(answer(page).getByRole('link', { name: 'the editor' })).toHaveCount(0);
  await expect(answer(page).getByRole('link', { name: 'a name' })).toHaveCount(0);
});

test('a click that the page makes opens nothing', async ({ page, open }) => {
  await open('reading');
  const opened = await externals(page);
  const book = answer(page).getByRole('link', { name: 'the book' });
  await book.evaluate((link) => {
    (link as HTMLElement).click();
    link.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
  });
  await book.click();
  await expect.poll(opened).toEqual([{ type: 'link', address: 'https://doc.rust-lang.org/book/' }]);
});

test('no hostile link can be followed, and nothing is asked for', async ({ page, open }) => {
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await open('hostile-links');
  const opened = await externals(page);
  const items = answer(page).getByRole('listitem');
  await expect(items).toHaveCount(15);
  asked.length = 0;
  const before = page.url();
  for (const item of await items.all()) await item.getByText('link', { exact: false }).first().click();
  await expect(answer(page).getByRole('link')).toHaveCount(0);
  await expect(answer(page).locator('a')).toHaveCount(0);
  expect(await opened()).toEqual([]);
  expect(page.url()).toBe(before);
  expect(asked).toEqual([]);
  expect(await page.evaluate(() => '__ran' in window)).toBe(false);
});

test('a path of a file opens it at its line; one that is no file is text', async ({ page, open }) => {
  await open('reading');
  const paths = answer(page).locator('[data-copy-path]');
  await expect(paths).toHaveText(['src/config.rs:17', 'src/main.rs', 'docs/guide.md:4200', 'src/config.rs']);
  await paths.first().click();
  await expect(page.getByRole('tab', { name: 'Files' })).toHaveAttribute('data-state', 'active');
  const viewer = page.getByRole('region', { name: 'Lines of src/config.rs' });
  await expect(viewer.locator('[data-line="17"]')).toHaveClass(/wanted/);
  await expect(viewer.locator('[data-line="17"]')).toBeInViewport();
  await expect(viewer.locator('[data-line="1"]')).toContainText('//! Configuration');
  // Far into a long file, of which only a part is asked for.
  await answer(page).getByRole('button', { name: 'docs/guide.md:4200' }).click();
  const long = page.getByRole('region', { name: 'Lines of docs/guide.md' });
  await expect(long.locator('[data-line="4200"]')).toBeInViewport();
  await expect(long.locator('[data-line="4200"]')).toContainText('line 4200 of docs/guide.md');
  await answer(page).getByRole('button', { name: 'src/main.rs' }).click();
  await expect(page.getByRole('region', { name: 'Lines of src/main.rs' }).locator('[data-line="1"]')).toContainText(
    'line 1 of src/main.rs',
  );
});

test('the viewer shows the file elsewhere, and goes back to the list', async ({ page, open }) => {
  await open('reading');
  const opened = await externals(page);
  await answer(page).getByRole('button', { name: 'src/config.rs:17' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Back to the files' })).toBeFocused();
  await page.getByRole('button', { name: 'Show in the file manager' }).click();
  await page.getByRole('button', { name: 'Open in editor' }).click();
  await expect.poll(opened).toEqual([
    { type: 'file_manager', projectId: 'p-foxes', path: 'src/config.rs' },
    { type: 'editor', projectId: 'p-foxes', path: 'src/config.rs', line: 17 },
  ]);
  await page.getByRole('button', { name: 'Back to the files' }).click();
  await expect(page.getByLabel('Filter files')).toBeVisible();
  await expect(answer(page).getByRole('button', { name: 'src/config.rs:17' })).toBeFocused();
});

test('a table scrolls in its own frame and breaks no word', async ({ page, open }) => {
  await page.setViewportSize({ width: 800, height: 600 });
  await open('reading');
  const table = answer(page).getByRole('group', { name: 'Table' });
  const sizes = await table.evaluate((frame) => {
    // A word that broke has its pieces on two lines.
    const broken = [...frame.querySelectorAll('code, th')].filter((word) => {
      const range = document.createRange();
      const text = document.createTreeWalker(word, NodeFilter.SHOW_TEXT).nextNode();
      if (text) range.selectNodeContents(text);
      return range.getClientRects().length > 1 && !/\s/.test(word.textContent ?? '');
    });
    return { broken: broken.map((word) => word.textContent), scrolls: frame.scrollWidth > frame.clientWidth };
  });
  expect(sizes).toEqual({ broken: [], scrolls: true });
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
});

test('code says how long it is, and wraps its long lines', async ({ page, open }) => {
  await open('reading');
  const code = answer(page).getByRole('figure');
  await expect(code).toContainText('rust · 2 lines');
  const scrolls = () =>
    code.getByRole('group', { name: 'Code' }).evaluate((frame) => frame.scrollWidth > frame.clientWidth);
  await expect.poll(scrolls).toBe(true);
  await code.getByRole('button', { name: 'Wrap' }).press('Enter');
  await expect(code.getByRole('button', { name: 'Wrap' })).toHaveAttribute('aria-pressed', 'true');
  await expect.poll(scrolls).toBe(false);
});

test('the right button has what can be done there, and only that', async ({ page, open }) => {
  await open('reading');
  const opened = await externals(page);
  const menu = page.getByRole('menu');
  await answer(page).getByRole('link', { name: 'the book' }).click({ button: 'right' });
  await expect(menu.getByRole('menuitem')).toHaveText(['Open link', 'Copy link', 'Look up in the trace']);
  await page.keyboard.press('Escape');
  await expect(menu).toHaveCount(0);
  await answer(page).getByText('vscode://').first().click({ button: 'right' });
  await expect(menu.getByRole('menuitem')).toHaveText(['Look up in the trace']);
  await page.keyboard.press('Escape');
  await expect(menu).toHaveCount(0);
  await answer(page).getByText('the editor', { exact: true }).click({ button: 'right' });
  await expect(menu.getByRole('menuitem')).toHaveText(['Copy link', 'Look up in the trace']);
  await page.keyboard.press('Escape');
  await answer(page).getByRole('button', { name: 'src/config.rs:17' }).click({ button: 'right' });
  await expect(menu.getByRole('menuitem')).toHaveText([
    'Open file',
    'Show in the file manager',
    'Copy path',
    'Look up in the trace',
  ]);
  await menu.getByRole('menuitem', { name: 'Show in the file manager' }).click();
  await expect.poll(opened).toEqual([{ type: 'file_manager', projectId: 'p-foxes', path: 'src/config.rs' }]);
});

test('the message, the answer, the turn and a table are copied as Markdown', async ({ page, context, open }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await open('reading');
  const turn = page.getByRole('article');
  await turn.hover();
  await copyBy(turn.getByTestId('copy-message'));
  const message = await copied();
  expect(message).toBe(await page.getByTestId('asked').innerText());
  await copyBy(turn.getByTestId('copy-answer'));
  const text = await copied();
  expect(text).toMatch(/^The loader is in `src\/config\.rs:17`;[^]*- \[ \] A flag is missing\.$/);
  await copyBy(turn.getByTestId('copy-turn'));
  expect(await copied()).toBe(`**Asked**\n\n> ${message}\n\n**Answered**\n\n${text}`);
  // By keyboard alone: the button is there once the table has the keyboard.
  await answer(page).getByRole('group', { name: 'Table' }).focus();
  await page.keyboard.press('Shift+Tab');
  await expect(page.getByRole('button', { name: 'Copy table' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect.poll(copied).toMatch(/^\| Key \|[^]*\n\| `pace_ms` \|[^\n]*\|$/);
});

for (const theme of ['light', 'dark'] as const) {
  test(`the answer and the viewer hold up to axe, ${theme}`, async ({ page, open }) => {
    await page.emulateMedia({ colorScheme: theme });
    await open('reading');
    await answer(page).getByRole('button', { name: 'src/config.rs:17' }).click();
    await expect(page.getByTestId('viewed-lines')).toContainText('Configuration');
    expect(await inaccessible(page)).toEqual([]);
  });
}
