// Finding: words in all conversations from the palette, and a text in what is open, wherever in it.

import type { Page } from '@playwright/test';
import { fits } from './looks';
import { expect, test, touch, words } from './window';

const palette = (page: Page) => page.getByTestId('palette');
const bar = (page: Page) => page.getByTestId('find-bar');
const field = (page: Page) => page.getByTestId('find-text');
const place = (page: Page) => page.getByTestId('find-place');

/** What is marked as the place where the person is, and whether it can be seen. */
const marked = (page: Page) =>
  page.evaluate(() => {
    const [range] = [...(CSS.highlights.get('found-now') ?? [])] as Range[];
    if (!range) return null;
    const { left, top, width, height } = range.getBoundingClientRect();
    const at = document.elementFromPoint(left + width / 2, top + height / 2);
    return {
      text: range.toString(),
      seen: at !== null && (at.contains(range.startContainer) || at === range.startContainer.parentElement),
    };
  });

async function find(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+f');
  await expect(field(page)).toBeFocused();
  await field(page).fill(text);
}

test('the palette finds what was said, with the words marked, and Enter goes to that turn', async ({ page, open }) => {
  await open('long');
  await expect(words(page)).toHaveText('Answered');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('question 3.');
  const found = palette(page).getByTestId('found');
  await expect(found.first()).toContainText('Question 3.');
  await expect(found.first().locator('mark')).toHaveText(['Question', '3.']);
  await page.keyboard.press('Enter');
  await expect(palette(page)).toHaveCount(0);
  await expect(page.locator('[data-turn=t-3]')).toBeInViewport();
});

test('commands and titles come first, and what was said below them', async ({ page, open }) => {
  await open('finished');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('config');
  await expect(palette(page).getByText('In conversations')).toBeVisible();
  const rows = await palette(page).getByRole('option').allTextContents();
  expect(rows[0]).toContain('How does the config loader work?');
  expect(rows.at(-1)).toMatch(/You|The model/);
  await expect(palette(page).getByRole('option').first()).toHaveAttribute('data-selected', '');
});

test('hits alone can be chosen by the keyboard, though they come after the letters', async ({ page, open }) => {
  await open('finished', 1, 300);
  await expect(words(page)).toHaveText('Answered');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('later source wins');
  await expect(palette(page).getByRole('option').first()).toHaveAttribute('data-selected', '');
  await page.keyboard.press('Enter');
  await expect(palette(page)).toHaveCount(0);
  await expect(page.locator('[data-turn=t-1]')).toBeInViewport();
});

test('the bar finds what is far from the turns in memory, counts it, and goes round', async ({ page, open }) => {
  await open('long');
  await expect(words(page)).toHaveText('Answered');
  await find(page, 'Question 1');
  // 1, 10 to 19, and 100 to 140.
  await expect(place(page)).toHaveText(/^\d+ of 52$/);
  await field(page).fill('Question 7.');
  await expect(place(page)).toHaveText('1 of 1');
  await expect(page.locator('[data-turn=t-7]')).toBeInViewport();
  await expect.poll(() => marked(page)).toEqual({ text: 'Question 7.', seen: true });
  await field(page).fill('question 13');
  // 13 and 130 to 139.
  await expect(place(page)).toHaveText(/ of 11$/);
  const first = await place(page).textContent();
  for (let step = 0; step < 11; step++) await page.keyboard.press('Enter');
  await expect(place(page)).toHaveText(first ?? '');
  await page.keyboard.press('F3');
  await page.keyboard.press('Shift+F3');
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.press('Enter');
  await expect(place(page)).toHaveText(first ?? '');
});

test('what is folded opens: a result in a box in a line of steps', async ({ page, open }) => {
  await open('finished');
  await expect(words(page)).toHaveText('Answered');
  await expect(page.getByTestId('tool-result')).toHaveCount(0);
  await find(page, 'fn load');
  await expect(place(page)).toHaveText(/ of /);
  for (let step = 0; step < 5 && (await page.getByTestId('tool-result').count()) === 0; step++)
    await page.keyboard.press('Enter');
  await expect(page.getByTestId('tool-result').first()).toBeVisible();
  await expect.poll(async () => (await marked(page))?.text.toLowerCase()).toBe('fn load');
});

test('Escape closes the bar, takes the marks along and gives the keyboard back; the running turn goes on', async ({
  page,
  open,
}) => {
  await open('streaming');
  await page.getByTestId('composer').fill('next');
  await page.getByTestId('composer').focus();
  await find(page, 'config');
  await expect(place(page)).toHaveText(/ of /);
  await page.keyboard.press('Escape');
  await expect(bar(page)).toHaveCount(0);
  await expect(page.getByTestId('composer')).toBeFocused();
  await expect.poll(() => marked(page)).toBeNull();
  await expect(words(page)).toHaveText(/Answering/);
});

test('a text that is nowhere is said so, and the text of last time is looked for again', async ({ page, open }) => {
  await open('finished');
  await expect(words(page)).toHaveText('Answered');
  await find(page, 'no such words');
  await expect(place(page)).toHaveText('Nothing found');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+f');
  await expect(field(page)).toHaveValue('no such words');
  await expect(place(page)).toHaveText('Nothing found');
  await page.keyboard.type('loader');
  await expect(place(page)).toHaveText(/ of /);
});

test('in a preview the bar finds in all rows, also those that are folded or not there yet', async ({ page, open }) => {
  await open('write-large');
  await expect(page.getByTestId('rows')).toBeVisible();
  await page.getByTestId('rows').focus();
  await find(page, 'FOX 19994');
  await expect(bar(page)).toHaveAttribute('aria-label', 'Find in this file');
  await expect(place(page)).toHaveText('1 of 1');
  // An unchanged line between two changes: it was folded.
  await expect.poll(() => marked(page)).toEqual({ text: 'fox 19994', seen: true });
  await field(page).fill('fox 2998');
  await expect(place(page)).toHaveText('1 of 11');
  await page.keyboard.press('Shift+Enter');
  await expect.poll(() => marked(page)).toEqual({ text: 'fox 2998', seen: true });
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('rows')).toBeFocused();
});

test('in the viewer the bar finds in all lines of the file, also far from those that are there', async ({
  page,
  open,
}) => {
  await open('reading');
  await page.getByRole('button', { name: 'docs/guide.md:4200' }).click();
  const viewer = page.getByTestId('viewed-lines');
  await expect(viewer).toContainText('line 4200 of docs/guide.md');
  await find(page, 'LINE 4990');
  await expect(page.getByRole('complementary').getByTestId('find-bar')).toHaveAttribute(
    'aria-label',
    'Find in this file',
  );
  await expect(bar(page)).toHaveCount(1);
  await expect(place(page)).toHaveText('1 of 1');
  await expect.poll(() => marked(page)).toEqual({ text: 'line 4990', seen: true });
  // The file is read again when files have changed, and what is looked for is found in it again.
  await viewer.evaluate((lines) => (lines.dataset['before'] = ''));
  await touch(page);
  await expect(page.locator('[data-testid=viewed-lines]:not([data-before])')).toBeVisible();
  await expect.poll(() => marked(page)).toEqual({ text: 'line 4990', seen: true });
  // 12, 120 to 129, and 1200 to 1299: after the last line that was found come the first ones.
  await field(page).fill('line 12');
  await expect(place(page)).toHaveText('1 of 111');
  await expect(viewer.locator('[data-line="12"]')).toBeInViewport();
  await page.keyboard.press('Shift+Enter');
  await expect(place(page)).toHaveText('111 of 111');
  await expect.poll(() => marked(page)).toEqual({ text: 'line 12', seen: true });
  await expect(viewer.locator('[data-line="1299"]')).toBeInViewport();
  await field(page).fill('no such words');
  await expect(place(page)).toHaveText('Nothing found');
  await page.keyboard.press('Escape');
  await expect(bar(page)).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Back to the files' })).toBeFocused();
  await expect.poll(() => marked(page)).toBeNull();
  // Outside of the viewer it is the conversation that is searched.
  await page.getByTestId('composer').focus();
  await find(page, 'loader');
  await expect(bar(page)).toHaveAttribute('aria-label', 'Find in this conversation');
  await expect(place(page)).toHaveText(/ of /);
  await page.getByRole('button', { name: 'Back to the files' }).focus();
  await find(page, 'line 7');
  await expect(bar(page)).toHaveAttribute('aria-label', 'Find in this file');
  await page.getByRole('button', { name: 'Back to the files' }).click();
  await expect(bar(page)).toHaveCount(0);
});

test('a picture in the viewer has no text: nothing else is searched in its place', async ({ page, open }) => {
  await open('rich');
  await page.getByTestId('picture').first().click();
  await expect(page.getByTestId('viewed-picture')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Back to the files' })).toBeFocused();
  await page.keyboard.press('Control+f');
  await page.keyboard.press('Control+k');
  await expect(palette(page)).toBeVisible();
  await expect(bar(page)).toHaveCount(0);
});

test('in the trace the keyboard goes to the field of the list', async ({ page, open }) => {
  await open('finished');
  await page.getByTestId('side-panel').click();
  await page.getByRole('tab', { name: 'Trace' }).click();
  await page.getByTestId('as-timeline').focus();
  await page.keyboard.press('Control+f');
  await expect(page.getByTestId('trace-search')).toBeFocused();
  await expect(bar(page)).toHaveCount(0);
});

test('what a model hides in an answer is text in the palette and in the bar: nothing runs, nothing is asked for', async ({
  page,
  open,
}) => {
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  page.on('dialog', (dialog) => asked.push(dialog.message()));
  await open('hostile');
  await expect(words(page)).toHaveText('Answered');
  const before = asked.length;
  await page.keyboard.press('Control+k');
  await page.keyboard.type('<img onerror=alert(1)>');
  const found = palette(page).getByTestId('found');
  await expect(found).toHaveCount(1);
  await expect(found).toContainText('<img src=x onerror=alert(1)>');
  expect(await found.locator('img, a, script').count()).toBe(0);
  await page.keyboard.press('Enter');
  await find(page, '<script src=');
  await expect(place(page)).toHaveText('1 of 1');
  await page.keyboard.press('Enter');
  expect(asked.slice(before)).toEqual([]);
});

const inBar = async (page: Page) => {
  await expect(words(page)).toHaveText('Answered');
  await find(page, 'config');
  await expect(place(page)).toHaveText(/ of /);
};
const inPalette = (text: string) => async (page: Page) => {
  await expect(words(page)).toHaveText('Answered');
  await page.keyboard.press('Control+k');
  await page.keyboard.type(text);
  await expect(palette(page).getByTestId('found').first()).toBeVisible();
};

fits({
  'find-bar': { scene: 'finished', reach: inBar },
  'find-palette': { scene: 'finished', reach: inPalette('config') },
  'find-palette-hits': { scene: 'finished', reach: inPalette('later source wins') },
  'find-viewer': {
    scene: 'reading',
    reach: async (page) => {
      await page.getByRole('button', { name: 'src/config.rs:17' }).click();
      await expect(page.getByTestId('viewed-lines')).toContainText('Configuration');
      await find(page, 'config');
      await expect(place(page)).toHaveText(/ of /);
    },
  },
  'find-diff': {
    scene: 'write-large',
    reach: async (page) => {
      await expect(page.getByTestId('rows')).toBeVisible();
      await page.getByTestId('rows').focus();
      await find(page, 'fox 19994');
      await expect(place(page)).toHaveText('1 of 1');
      await expect.poll(async () => (await marked(page))?.text).toBe('fox 19994');
    },
  },
});

test('every place in what is shown is marked, and the one where the person is above them', async ({ page, open }) => {
  await open('finished');
  await expect(words(page)).toHaveText('Answered');
  await find(page, 'config');
  await expect(place(page)).toContainText('1 of ');
  const inTurns = () =>
    page.evaluate(() =>
      [...(CSS.highlights.get('found') ?? [])].map((range) =>
        (range as Range).startContainer.parentElement?.closest('[data-testid]')?.getAttribute('data-testid'),
      ),
    );
  await expect.poll(async () => new Set(await inTurns()).size).toBeGreaterThan(1);
  expect((await inTurns()).length).toBeGreaterThan(2);
});
