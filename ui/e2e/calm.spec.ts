// Calm by rank: the answer is the page, what a step did is one line, and the bar is there while something runs, waits or failed.

import type { Page } from '@playwright/test';
import { test } from './kept';
import { ask, expect, send, words } from './window';

const bar = (page: Page) => page.getByTestId('phase-bar');
const folds = (page: Page) => page.getByTestId('fold');

test('a step that is over is one line, which opens to its boxes and stays open', async ({ page, open }) => {
  await open('finished', 0.2);
  await expect(folds(page)).toHaveText(['Listed the folder · 3 ms', 'Looked at src/config.rs · 4 ms']);
  await expect(page.getByTestId('tool-box')).toHaveCount(0);
  await folds(page).last().press('Enter');
  await expect(folds(page).last()).toHaveAttribute('aria-expanded', 'true');
  await expect(page.getByTestId('tool-box')).toHaveCount(1);
  await expect(page.getByText('step 2 of 3')).toBeVisible();
  await ask(page, 'And the flags?');
  await expect(page.getByRole('article').first().getByTestId('tool-box')).toHaveCount(1);
  await expect(page.getByRole('article').last().getByTestId('tool-box')).toHaveCount(0);
  await folds(page).nth(1).click();
  await expect(page.getByTestId('tool-box')).toHaveCount(0);
});

test('the step that runs is open, and a box that a person opened in it does not go when it is over', async ({
  page,
  open,
}) => {
  await open('approval', 0.2);
  await expect(folds(page)).toHaveCount(0);
  await page.getByTestId('tool-box-toggle').click();
  await expect(page.getByText('No result yet.')).toBeVisible();
  await page.getByTestId('approve').click();
  await expect(words(page)).toHaveText('Answered');
  await expect(folds(page)).toHaveAttribute('aria-expanded', 'true');
  await expect(page.getByTestId('tool-result')).toContainText('src/config.rs:22');
});

test('a failure stays when its step is over, and so does a file that was written, with its lines', async ({
  page,
  open,
}) => {
  await open('budget');
  await expect(page.getByTestId('tool-box')).toHaveCount(1);
  await expect(page.getByTestId('tool-box')).toHaveAttribute('data-status', 'failed');
  await open('write-whole');
  await expect(page.getByTestId('write-box')).toContainText('src/fox.rs');
  await expect(page.getByTestId('write-box')).toContainText(/written · \+\d+ −\d+/);
});

test('an answered turn has no bar, and that it is answered is told all the same', async ({ page, open }) => {
  await open('no-session');
  await expect(page.getByTestId('composer')).toBeVisible();
  await expect(bar(page)).toHaveCount(0);
  await open('approval', 0.2);
  await expect(bar(page)).toBeVisible();
  // The same element from the first to the last: a region that comes with its words is not read out.
  const state = page.getByTestId('state');
  await expect(state).toHaveAttribute('role', 'status');
  await state.evaluate((element) => Object.assign(window, { told: element }));
  await page.getByTestId('approve').click();
  await expect(words(page)).toHaveText('Answered');
  await expect(bar(page)).toHaveCount(0);
  expect(await state.evaluate((element) => element === (window as unknown as { told: Element }).told)).toBe(true);
});

for (const [scene, said] of [
  ['streaming', 'Answering'],
  ['approval', 'Waiting for your approval'],
  ['error', 'Failed'],
  ['wanting', 'Not finished'],
  ['no-answer', 'No answer came'],
  ['write-interrupted', 'Interrupted'],
  ['steered-late', 'Stopped'],
] as const) {
  test(`the bar is there: ${said}`, async ({ page, open }) => {
    await open(scene);
    await expect(bar(page)).toContainText(said);
  });
}

test('the dot beats while nothing comes, and stands still while text does: each of its frames would be drawn between two pieces', async ({
  page,
  open,
}) => {
  const dot = bar(page).locator('.dot');
  await open('approval');
  await expect(dot).toHaveCSS('animation-name', /beat$/);
  await open('streaming');
  await expect(bar(page)).toContainText('Answering');
  await expect(dot).toHaveCSS('animation-name', 'none');
});

test('facts fall away whole, in the chip, in a line of steps and beside a file', async ({ page, open }) => {
  const look = () =>
    page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>('main .facts, main .what')].flatMap((line) => {
        const box = line.getBoundingClientRect();
        return [...line.children].map((fact) => {
          const { top, left, right } = fact.getBoundingClientRect();
          const gone = top >= box.bottom - 1;
          return { text: fact.textContent, gone, cut: !gone && (left < box.left - 0.5 || right > box.right + 0.5) };
        });
      }),
    );
  let gone = 0;
  for (const scene of ['finished', 'write-whole', 'streaming']) {
    await open(scene);
    await expect(page.getByTestId('answer').first()).toBeVisible();
    for (let width = 1300; width >= 400; width -= 60) {
      await page.setViewportSize({ width, height: 800 });
      const facts = await look();
      expect(
        facts.filter(({ cut }) => cut),
        `${scene} in a window of ${width} pixels`,
      ).toEqual([]);
      gone += facts.filter((fact) => fact.gone).length;
    }
  }
  expect(gone).toBeGreaterThan(0);
});

test('an answer is set in 15 by 24, and no line of it has more than 76 characters', async ({ page, open }) => {
  await open('flood');
  await send(page, 'Tell me everything about foxes');
  await expect(words(page)).toHaveText('Answered');
  const answer = page.getByTestId('answer');
  await expect(answer.locator('p').first()).toHaveCSS('font-size', '15px');
  await expect(answer.locator('p').first()).toHaveCSS('line-height', '24px');
  const longest = await answer
    .locator('p')
    .first()
    .evaluate((paragraph) => {
      const walker = document.createTreeWalker(paragraph, NodeFilter.SHOW_TEXT);
      const lines = new Map<number, number>();
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        for (let at = 0; at < (node.textContent ?? '').length; at += 1) {
          const range = document.createRange();
          range.setStart(node, at);
          range.setEnd(node, at + 1);
          // Code is smaller, so its letters begin lower in the same line.
          const line = Math.round((range.getBoundingClientRect().bottom - paragraph.getBoundingClientRect().top) / 24);
          lines.set(line, (lines.get(line) ?? 0) + 1);
        }
      }
      return Math.max(...lines.values());
    });
  expect(longest).toBeGreaterThan(50);
  expect(longest).toBeLessThanOrEqual(76);
});

test('code between words does not push the lines of an answer apart', async ({ page, open }) => {
  await open('finished', 0.2);
  await expect(words(page)).toHaveText('Answered');
  const heights = await page
    .getByTestId('answer')
    .last()
    .locator('p:has(code)')
    .evaluateAll((paragraphs) => paragraphs.map((paragraph) => paragraph.getBoundingClientRect().height % 24));
  expect(heights.length).toBeGreaterThan(1);
  expect(heights.filter((rest) => rest > 0.1)).toEqual([]);
});

test('a long message of the person is eight lines, until they ask for all of it', async ({ page, open }) => {
  await open('no-session', 0.2);
  await ask(page, Array.from({ length: 30 }, (_, line) => `line ${line + 1}`).join('\n'));
  const text = page.getByTestId('asked').locator('p');
  const lines = () =>
    text.evaluate((element) => element.clientHeight / Number.parseFloat(getComputedStyle(element).lineHeight));
  await expect.poll(lines).toBe(8);
  const all = page.getByTestId('show-all');
  await expect(all).toHaveText('Show all');
  await all.click();
  await expect.poll(lines).toBe(30);
  await expect(all).toHaveText('Show less');
  await ask(page, 'A short one');
  await expect(page.getByTestId('asked').last().getByRole('button')).toHaveCount(0);
});

test('what the person wrote can be told from the page, in both themes', async ({ page, open }) => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await open('finished');
    const contrast = await page.getByTestId('asked').evaluate((bubble) => {
      const light = (element: Element) => {
        const [r = 0, g = 0, b = 0] = (getComputedStyle(element).backgroundColor.match(/[\d.]+/g) ?? []).map((part) => {
          const value = Number(part) / 255;
          return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const [a, b] = [light(bubble), light(document.body)];
      return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    });
    expect(contrast, colorScheme).toBeGreaterThanOrEqual(1.2);
  }
});

test('turns have 40 pixels between them', async ({ page, open }) => {
  await open('long');
  await expect(page.getByRole('article').last()).toBeVisible();
  const between = await page
    .getByRole('article')
    .evaluateAll(
      ([first, second]) => (second?.getBoundingClientRect().top ?? 0) - (first?.getBoundingClientRect().bottom ?? 0),
    );
  expect(between).toBe(40);
});

test('what deletes is not the primary button', async ({ page, open }) => {
  await open('finished');
  const first = page.getByTestId('session-item').first();
  await first.hover();
  await first.getByRole('button', { name: /^Actions for/ }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const button = page.getByRole('alertdialog').getByRole('button', { name: 'Delete' });
  await expect(button).toHaveClass(/danger/);
  await expect(button).not.toHaveClass(/primary/);
});

test('text that comes ends in a caret, which does not blink where motion is reduced, and the ring of the mark is closed', async ({
  page,
  open,
}) => {
  await open('streaming');
  await expect(words(page)).toHaveText('Answering');
  const caret = () =>
    page.evaluate(() =>
      [...document.querySelectorAll('.streaming *')]
        .map((element) => getComputedStyle(element, '::after'))
        .filter(({ content, animationName }) => content !== 'none' && animationName.includes('caret'))
        .map(({ animationDuration }) => animationDuration),
    );
  const ring = page.locator('nav .alive path');
  await expect.poll(caret).toEqual(['1s']);
  await expect(ring).toHaveCount(2);
  // What moves in a corner makes a window without a graphics processor paint all of it.
  expect(await page.locator('nav').evaluate((nav) => nav.getAnimations({ subtree: true }).length)).toBe(0);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await expect.poll(caret).toEqual(['0s']);
  await open('finished');
  await expect(words(page)).toHaveText('Answered');
  await expect.poll(caret).toEqual([]);
  await expect(page.locator('nav .alive')).toHaveCount(0);
});

test("text is in the font of the system's own windows, and that of a first answer is known before it comes", async ({
  page,
  open,
}) => {
  await open('finished');
  const menu = await page.evaluate(() => {
    const element = document.body.appendChild(document.createElement('span'));
    element.style.font = 'menu';
    const { fontFamily } = getComputedStyle(element);
    element.remove();
    return fontFamily;
  });
  await expect(page.getByTestId('answer').last()).toHaveCSS('font-family', `${menu}, sans-serif`);
  // What warmed the fonts up is gone.
  await expect(page.locator('[data-turn=warm]')).toHaveCount(0);
});

test('mode and model stand in the composer, and everything else of the next turn behind one button', async ({
  page,
  open,
}) => {
  await open('finished');
  const row = page.locator('.composer .row');
  await expect(row.getByLabel('Mode: Act')).toBeVisible();
  await expect(row.getByRole('button')).toHaveText([
    '',
    'deepseek-chat',
    /^\d+ %$/,
    /^The next message takes at most/,
    'Send',
  ]);
  await row.getByRole('button', { name: 'Limits: 8 steps' }).click();
  const dialog = page.getByRole('dialog', { name: 'Limits' });
  await expect(dialog.getByRole('radiogroup', { name: 'Steps' })).toBeVisible();
  await expect(dialog.getByRole('radiogroup', { name: 'Route' }).getByRole('radio')).toHaveCount(2);
  await dialog.getByText('Details').click();
  for (const label of [/tokens/i, /seconds|time/i, /cost|dollar/i])
    await expect(dialog.getByLabel(label).first()).toBeVisible();
});

test('a dialog covers the scrollbars of what is below it', async ({ page, open }) => {
  await open('long');
  const region = page.getByRole('region', { name: 'Conversation' });
  const width = await region.evaluate((element) => element.clientWidth);
  await expect(region).toHaveCSS('scrollbar-color', 'auto');
  await page.keyboard.press('Control+,');
  await expect(page.getByTestId('settings-dialog')).toBeVisible();
  await expect(region).toHaveCSS('scrollbar-color', 'rgba(0, 0, 0, 0) rgba(0, 0, 0, 0)');
  await expect(page.getByTestId('settings-dialog')).toHaveCSS('scrollbar-color', 'auto');
  expect(await region.evaluate((element) => element.clientWidth)).toBe(width);
});
