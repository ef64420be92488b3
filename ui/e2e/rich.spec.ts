// What an answer has beside words: formulas, footnotes, tasks.

import type { Locator, Page } from '@playwright/test';
import { inaccessible } from './accessible';
import { ask, expect, test } from './window';

const answer = (page: Page): Locator => page.getByTestId('answer').last();

/** Counts the formulas that the library makes: what is shown is a copy of them. */
const countMade = (page: Page) =>
  page.addInitScript(() => {
    const create = document.createElementNS.bind(document);
    Object.assign(window, { made: 0 });
    document.createElementNS = ((namespace: string, name: string) => {
      if (name === 'math') (window as unknown as { made: number }).made += 1;
      return create(namespace, name);
    }) as typeof document.createElementNS;
  });
const made = (page: Page) => page.evaluate(() => (window as unknown as { made: number }).made);

test('formulas are drawn as MathML, and what cannot be drawn stays as it was written', async ({ page, open }) => {
  await open('rich');
  await expect(answer(page).getByTestId('formula')).toHaveCount(4);
  await expect(answer(page).getByTestId('formula').first().locator('math msqrt')).toHaveText('n');
  await expect(answer(page).getByTestId('formula').last().locator('math mtable')).toHaveCount(2);
  await expect(answer(page).getByTestId('formula-source')).toHaveText([
    '\\(\\href{https://evil.example}{x}\\)',
    '$\\notacommand{x}$',
  ]);
  await expect(answer(page)).toContainText('a run costs $0.40 to $0.60, and');
  await expect(answer(page)).toContainText('th runs cost less');
});

test('a formula is made once, while its answer comes and after', async ({ page, open }) => {
  await countMade(page);
  await open('rich');
  await expect(answer(page).getByTestId('formula')).toHaveCount(4);
  expect(await made(page)).toBe(4);
  await ask(page, 'Once more');
  await expect(answer(page).getByTestId('formula')).toHaveCount(4);
  expect(await made(page)).toBe(4);
});

test('the library for formulas is fetched only when there is one', async ({ page, open }) => {
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await open('finished');
  await expect(page.getByTestId('answer').last()).toBeVisible();
  await page.waitForLoadState('networkidle');
  expect(asked.filter((path) => /temml/i.test(path))).toEqual([]);
  await open('rich');
  await expect(answer(page).getByTestId('formula')).toHaveCount(4);
  expect(asked.filter((path) => /temml.*\.js/i.test(path))).toHaveLength(1);
});

test('the mark of a footnote leads there and back, by mouse and by keyboard', async ({ page, open }) => {
  await open('rich');
  const marks = answer(page).getByTestId('note-mark');
  await expect(marks).toHaveText(['1', '2']);
  const notes = answer(page).getByRole('region', { name: 'Footnotes' }).getByRole('listitem');
  await expect(notes).toHaveText([/A run is a whole winter/, /By the prices of the book/]);
  // What is drawn above the notes moves them once.
  await expect(answer(page).getByTestId('formula')).toHaveCount(4);
  await expect(answer(page).getByTestId('diagram').getByRole('img')).toBeVisible();
  await marks.nth(1).click();
  await expect(notes.nth(1)).toBeFocused();
  await expect(notes.nth(1)).toBeInViewport();
  await page.keyboard.press('Tab');
  await expect(notes.nth(1).getByRole('link', { name: 'the book' })).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(marks.nth(1)).toBeFocused();
  await marks.nth(0).press('Enter');
  await expect(notes.nth(0)).toBeFocused();
  await answer(page).getByRole('button', { name: 'Back to footnote mark 1' }).click();
  await expect(marks.nth(0)).toBeFocused();
  await expect(page).toHaveURL(/replay=rich/);
});

test('tasks have boxes, and say whether they are done', async ({ page, open }) => {
  await open('rich');
  await expect(answer(page).getByTestId('task')).toHaveText(['done:', 'to do:', 'done:']);
  await expect(answer(page).getByTestId('task').locator('svg')).toHaveCount(3);
});

test('hostile formulas, footnotes and tables: nothing runs, nothing is asked for, nothing leads away', async ({
  page,
  open,
}) => {
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await open('hostile-rich');
  const before = page.url();
  await expect(answer(page)).toContainText('The constructor.');
  // Sources that are too long or too deep are as they were written.
  await expect(answer(page)).toContainText(`${'{'.repeat(900)}x`);
  await expect(answer(page).getByTestId('formula').first()).toBeAttached();
  await expect(
    answer(page).locator('a, img, script, iframe, form, input, svg[onload], [onerror], [onclick]'),
  ).toHaveCount(0);
  const attributes = await answer(page).evaluate((root) =>
    [...root.querySelectorAll('math, math *')].flatMap((element) => [...element.attributes].map(({ name }) => name)),
  );
  expect(attributes.filter((name) => /^on|href|src|^id$|data/.test(name))).toEqual([]);
  for (const button of await answer(page).getByTestId('note-mark').all()) await button.click();
  const wide = await answer(page).evaluate(
    (root) =>
      [...root.querySelectorAll('[data-testid=formula]')].filter(
        (formula) => formula.getBoundingClientRect().width > root.getBoundingClientRect().width,
      ).length,
  );
  expect(wide).toBe(0);
  expect(await page.evaluate(() => '__ran' in window)).toBe(false);
  expect(asked.filter((url) => !url.startsWith(new URL(before).origin) && !url.startsWith('data:'))).toEqual([]);
  expect(page.url()).toBe(before);
});

for (const theme of ['light', 'dark'] as const) {
  test(`formulas and footnotes hold up to axe, ${theme}`, async ({ page, open }) => {
    await page.emulateMedia({ colorScheme: theme });
    await page.setViewportSize({ width: 800, height: 600 });
    await open('rich');
    await expect(answer(page).getByTestId('formula')).toHaveCount(4);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    expect(await inaccessible(page)).toEqual([]);
  });
}

test('a turn whose drawing throws is its source, and the rest of the conversation stays as it is', async ({
  page,
  open,
}) => {
  // What an address of mail is read with as it is drawn breaks, until the test mends it.
  await page.addInitScript(() => {
    const parse = URL.parse.bind(URL);
    Object.assign(window, { breaks: true });
    URL.parse = (address, base) => {
      if (String(address).startsWith('mailto:') && (window as unknown as { breaks: boolean }).breaks)
        throw new TypeError('planted');
      return parse(address, base);
    };
  });
  await open('reading');
  await expect(page.getByTestId('undrawn')).toBeVisible();
  await page.getByTestId('show-as-text').click();
  await expect(page.getByTestId('turn-source').last()).toContainText('src/config.rs');
  expect(await inaccessible(page)).toEqual([]);
  // It goes on, with the next message and with this turn.
  await page.evaluate(() => Object.assign(window, { breaks: false }));
  await ask(page, 'Once more');
  await expect(page.getByTestId('undrawn')).toHaveCount(1);
  await page.getByTestId('draw-again').click();
  await expect(page.getByTestId('undrawn')).toHaveCount(0);
  await expect(page.getByRole('article')).toHaveCount(2);
});
