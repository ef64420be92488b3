// The rail of a turn: its steps as stops, the steps that are left, what a stop opens, and that text costs it nothing.

import type { Page } from '@playwright/test';
import { inaccessible } from './accessible';
import { test } from './kept';
import { expect, send, words } from './window';

const rail = (page: Page) => page.getByRole('list', { name: 'Steps of this turn' }).last();
const stops = (page: Page) => rail(page).getByRole('button');
const names = (page: Page) =>
  stops(page).evaluateAll((all) => all.map((stop) => stop.getAttribute('aria-label')?.replace(/\d+(\.\d+)? m?s/, '…')));

test('each step of a turn is a stop of a list, with what it is, how long it took and its tokens', async ({
  page,
  open,
}) => {
  await open('finished');
  await expect(stops(page)).toHaveCount(5);
  expect(await names(page)).toEqual([
    'Model call 1, …, 1,336 tokens',
    'list_files ., …, 12 entries',
    'Model call 2, …, 2,136 tokens',
    'read_file src/config.rs, …, 32 lines',
    'Model call 3, …, 2,936 tokens',
  ]);
  // It ended by itself, so nothing is ahead of it.
  await expect(rail(page).getByRole('listitem')).toHaveCount(5);
  await stops(page).nth(1).hover();
  await expect(rail(page)).toContainText('list_files .');
  await expect(page.locator('[data-lit]')).toHaveText('Listed the folder · 3 ms');
  expect(await inaccessible(page, 'main')).toEqual([]);
});

test('a stop opens its step in place: the line that it is folded into, and its box', async ({ page, open }) => {
  await open('finished');
  await expect(stops(page)).toHaveCount(5);
  await expect(page.getByTestId('tool-box')).toHaveCount(0);
  await stops(page).nth(3).click();
  await expect(page.getByTestId('tool-box')).toHaveCount(1);
  await expect(page.getByTestId('tool-box-toggle')).toHaveAttribute('aria-expanded', 'true');
  await expect(page.getByTestId('tool-box')).toContainText('src/config.rs');
  await expect(page.getByTestId('tool-box')).toBeInViewport();
});

test('the keyboard goes from stop to stop, and with Enter to what the stop opens', async ({ page, open }) => {
  await open('finished');
  await expect(stops(page)).toHaveCount(5);
  // One of them is reached by the tab key: the last, until another was.
  await expect(rail(page).locator('[tabindex="0"]')).toHaveAttribute('aria-label', /^Model call 3/);
  await stops(page).nth(4).focus();
  await page.keyboard.press('ArrowUp');
  await expect(stops(page).nth(3)).toBeFocused();
  await expect(stops(page).nth(3)).toHaveAttribute('tabindex', '0');
  await page.keyboard.press('Home');
  await expect(stops(page).first()).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('tool-box-toggle')).toBeFocused();
  await expect(page.getByTestId('tool-box-toggle')).toHaveAttribute('aria-expanded', 'true');
});

test('A2: the steps that are left are ahead of the live end, and a press on the first of them pauses after the step that runs', async ({
  page,
  open,
}) => {
  await open('rail', 0.2);
  await expect(words(page)).toHaveText('Answering');
  // 10 of 24 steps are used: 8 are drawn, and the rest is a number.
  await expect(rail(page).getByRole('listitem')).toHaveCount(21 + 1);
  await expect(rail(page).locator('[data-more]')).toHaveAttribute('data-more', '+6');
  await expect(rail(page).locator('[aria-current=step]')).toHaveAttribute('aria-label', 'Model call 11, running');
  const first = page.getByTestId('stop-ahead');
  await expect(first).toHaveAttribute('aria-label', 'Pause after this step, 14 steps left');
  await first.click();
  await expect(page.getByTestId('stop-pause')).toHaveAttribute(
    'aria-label',
    'Pauses here, after this step, 14 steps left',
  );
  await expect(page.getByTestId('phase-bar')).toContainText('pauses after this step');
  // It stays so: the next press is not meant to cut the answer off.
  await page.getByTestId('stop-pause').click();
  await expect(page.getByTestId('phase-bar')).toContainText('pauses after this step');
  await page.getByTestId('stop').click();
  await expect(words(page)).toHaveText('Stopped');
  await expect(rail(page).getByRole('listitem')).toHaveCount(21);
});

test('what waits for the person is a ring, which leads to the question and answers nothing', async ({ page, open }) => {
  await open('approval', 0.2);
  await expect(words(page)).toHaveText('Waiting for your approval');
  await page.getByTestId('stop-waiting').click();
  await expect(page.locator('.dock > [data-tone=waiting]').first()).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(words(page)).toHaveText('Waiting for your approval');
});

test('a write is a page, which opens its change', async ({ page, open }) => {
  await open('write-done');
  await page.getByTestId('stop-write').click();
  await expect(page.getByTestId('diff-pane')).toBeVisible();
});

test('text that comes changes nothing of the rail', async ({ page, open }) => {
  await open('flood');
  await page.evaluate(() => {
    const seen = { answer: 0, rail: 0 };
    Object.assign(document, { seen });
    const within = (node: Node, what: string) =>
      (node instanceof Element ? node : node.parentElement)?.closest(`[data-testid=${what}]`) != null;
    new MutationObserver((changes) => {
      for (const what of ['answer', 'rail'] as const)
        seen[what] += changes.some(({ target }) => within(target, what)) ? 1 : 0;
    }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  });
  await send(page, 'Everything, please.');
  await expect(words(page)).toHaveText('Answered');
  const seen = await page.evaluate(() => (document as unknown as { seen: { answer: number; rail: number } }).seen);
  expect(seen.answer).toBeGreaterThan(10);
  // When the call begins and when it ends; the rest is text.
  expect(seen.rail).toBeLessThan(4);
});

test('the rail stays in view while the turn does, and leaves the text its room where there is little', async ({
  page,
  open,
}) => {
  await open('rail', 0.2);
  await expect(words(page)).toHaveText('Answering');
  await page.setViewportSize({ width: 800, height: 420 });
  await expect(rail(page)).toBeInViewport({ ratio: 0.99 });
  await page.setViewportSize({ width: 400, height: 600 });
  await expect(rail(page)).toBeHidden();
  await expect(page.getByTestId('phase-bar')).toContainText('step 10 of 24');
});

test('a long session has rails of the turns alone that it holds', async ({ page, open }) => {
  await open('long');
  await expect(page.getByRole('article')).toHaveCount(20);
  await expect(page.getByTestId('rail')).toHaveCount(20);
});

test('a rail ends before the next turn, also where its turn has many steps and a line of answer', async ({
  page,
  open,
}) => {
  await open('rail-short');
  await expect(page.getByRole('article')).toHaveCount(3);
  const ends = (at: number) =>
    page
      .getByRole('article')
      .nth(at)
      .evaluate((article) => {
        const marks = [...article.querySelectorAll('[data-stop]')].map((stop) => stop.getBoundingClientRect());
        return {
          stops: marks.length,
          inside: marks.at(-1)!.bottom <= article.getBoundingClientRect().bottom,
          apart: marks.every(({ height }) => height >= 9),
        };
      });
  for (const height of [800, 400]) {
    await page.setViewportSize({ width: 1280, height });
    for (const at of [0, 1]) await expect.poll(() => ends(at)).toEqual({ stops: 8, inside: true, apart: true });
  }
  // The others have their number, and are in the trace.
  await page.getByRole('button', { name: '33 earlier stops, in the trace' }).first().click();
  await expect(page.getByTestId('timeline')).toBeVisible();
});

test('the rail of the first turn in view alone is held there, so that a scroll moves no other', async ({
  page,
  open,
}) => {
  await open('long');
  await expect(page.getByRole('article')).toHaveCount(20);
  const held = () =>
    page.getByTestId('rail').evaluateAll((rails) =>
      rails.flatMap((each) => {
        const isHeld = getComputedStyle(each.querySelector('ol')!).position === 'sticky';
        return isHeld ? each.closest<HTMLElement>('[data-turn]')!.dataset['turn']! : [];
      }),
    );
  const first = () =>
    page.getByRole('article').evaluateAll((all) => {
      const { top } = all[0]!.closest('[role=region]')!.getBoundingClientRect();
      return all.find((each) => each.getBoundingClientRect().bottom > top)?.dataset['turn'];
    });
  await expect.poll(held).toEqual([await first()]);
  await page.getByRole('region', { name: 'Conversation' }).evaluate((region) => (region.scrollTop -= 2_500));
  await expect.poll(held).toEqual([await first()]);
  expect(await held()).not.toEqual(['t-140']);
  const region = await page.getByRole('region', { name: 'Conversation' }).boundingBox();
  const list = await page.locator('[data-first]').getByRole('list', { name: 'Steps of this turn' }).boundingBox();
  expect(list!.y).toBeGreaterThanOrEqual(region!.y);
});
