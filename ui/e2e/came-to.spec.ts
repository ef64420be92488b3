// What a session came to: a turn that wrote nothing says so, and states stay where there is little room.

import type { Locator, Page } from '@playwright/test';
import { expect, send, test, words } from './window';

const items = (page: Page) => page.getByTestId('session-item');

test('W2: a turn whose only write failed is not written, and asks for it again', async ({ page, open }) => {
  for (const [scene, path] of [
    ['write-failed', 'src/fox.rs'],
    ['write-gave-up', 'docs/guide.md'],
  ] as const) {
    await open(scene, 0.1);
    await expect(words(page)).toHaveText('Not written');
    await expect(page.getByTestId('phase-bar')).toHaveAttribute('data-tone', 'problem');
    await expect(page.getByTestId('notice').last()).toHaveText(`${path} was not written.`);
    await page.getByTestId('composer').fill('A draft that stays');
    await page.getByTestId('write-again').click();
    await expect(page.getByTestId('asked').last()).toHaveText(`Write \`${path}\` again.`);
    await expect(words(page)).toHaveText('Answered');
    // Of a turn that is not the latest there is nothing to do.
    await expect(page.getByTestId('write-again')).toHaveCount(0);
    await expect(page.getByTestId('composer')).toHaveValue('A draft that stays');
  }
});

test('A6: what the person rejected is rejected, what was written is answered, and neither asks for anything again', async ({
  page,
  open,
}) => {
  for (const [scene, state] of [
    ['write-rejected', 'rejected'],
    ['write-done', 'written'],
    ['write-unknown', 'may have been written'],
  ] as const) {
    await open(scene, 0.1);
    await expect(page.getByTestId('write-box')).toContainText(state);
    await expect(words(page)).toHaveText('Answered');
    await expect(page.getByTestId('write-again')).toHaveCount(0);
  }
});

test('the list of sessions says what was not written and what was rejected', async ({ page, open }) => {
  await open('sidebar-unwritten');
  await expect(items(page).filter({ hasText: 'Write an index' }).getByTestId('came')).toHaveText(
    'not written · 11 Mar',
  );
  await expect(items(page).filter({ hasText: 'Draw the map' }).getByTestId('came')).toHaveText('rejected · 11 Mar');
});

/** True where all of an element is inside of what shows it. */
const isWhole = (element: Locator) =>
  element.evaluate((it) => {
    const { left, top, right, bottom } = it.getBoundingClientRect();
    for (let around = it.parentElement; around; around = around.parentElement) {
      if (getComputedStyle(around).overflow === 'visible') continue;
      const box = around.getBoundingClientRect();
      if (left < box.left - 1 || right > box.right + 1 || top < box.top - 1 || bottom > box.bottom + 1) return false;
    }
    return right - left > 0;
  });

/** As narrow as a pane can be made, and a text of the largest size in it. */
async function narrow(page: Page, selector: string, width: number): Promise<void> {
  await page.addStyleTag({ content: `${selector} { width: ${width}px !important; }` });
}

test('a state is never what falls away where there is little room', async ({ page, open }) => {
  await page.addInitScript(() =>
    localStorage.setItem('orion.preferences', '{"textSize":"largest","panel":true,"tab":"trace"}'),
  );
  await open('sidebar-unwritten');
  await narrow(page, '[data-testid=session-item]', 120);
  for (const [title, state] of [
    ['Write an index', 'not written'],
    ['Draw the map', 'rejected'],
    ['Why do two foxes', 'failed'],
    ['Count the hares', 'stopped'],
    ['Which licence', 'waits for you'],
  ] as const) {
    const item = items(page)
      .filter({ hasText: title.split(' ')[0]! })
      .filter({ has: page.getByText(state, { exact: true }) });
    // The list may be longer than its place.
    await item.scrollIntoViewIfNeeded();
    expect(await isWhole(item.getByText(state, { exact: true }))).toBe(true);
  }
  for (const [scene, state] of [
    ['write-rejected', 'rejected'],
    ['write-failed', 'not written'],
    ['write-ready', 'not written yet'],
    ['write-gave-up', 'not finished'],
  ] as const) {
    await open(scene);
    await page.getByTestId('review').or(page.getByTestId('write-box')).first().waitFor();
    await narrow(page, '[data-testid=write-box]', 270);
    await page.getByTestId('write-box').locator('.state').scrollIntoViewIfNeeded();
    expect(await isWhole(page.getByTestId('write-box').locator('.state'))).toBe(true);
    await expect(page.getByTestId('write-box').locator('.state')).toContainText(state);
  }
  await open('write-rejected');
  await page.getByTestId('review').click();
  await narrow(page, '[data-testid=diff-pane] header', 240);
  await expect(page.getByTestId('write-state')).toHaveText('rejected');
  expect(await isWhole(page.getByTestId('write-state'))).toBe(true);
  await open('write-ready');
  await page.getByRole('button', { name: 'Reject change 1' }).click();
  expect(await isWhole(page.getByTestId('write-approve'))).toBe(true);
  await expect(page.getByTestId('write-approve')).toContainText('Approve 2 of 3');
  await open('approval');
  await expect(page.getByTestId('tool-box')).toHaveAttribute('data-status', 'waiting');
  await narrow(page, '[data-testid=tool-box]', 270);
  expect(await isWhole(page.getByTestId('tool-box').getByText('Waiting for your approval'))).toBe(true);
});

test('T9: forks and the sides of a comparison differ in what a narrow list shows of their titles', async ({
  page,
  open,
}) => {
  await open('finished', 0.1);
  // The session that a message began.
  const begun = items(page)
    .filter({ hasText: 'How does' })
    .filter({ hasNot: page.locator('[data-kind]') });
  for (const action of ['Fork from here', 'Fork from here']) {
    await begun.click();
    await page.getByRole('button', { name: 'Actions for the message' }).first().click();
    await page.getByRole('menuitem', { name: action }).click();
    await expect(page.getByRole('heading', { level: 1 })).toContainText('Fork');
  }
  await begun.click();
  await page.getByRole('button', { name: 'Actions for the message' }).first().click();
  await page.getByRole('menuitem', { name: 'Compare with the other route' }).click();
  await page.getByTestId('routes-begin').click();
  await expect(page.getByTestId('state-unified')).toHaveText('Answered');
  await page.keyboard.press('Escape');
  await narrow(page, '[data-testid=session-item]', 110);
  // What a person sees: the icon of what it was made as, and the first letters.
  const shown = await items(page)
    .filter({ hasText: /How|2:/ })
    .locator('.title')
    .evaluateAll((titles) =>
      titles.map((title) => {
        const kind = title.querySelector<HTMLElement>('[data-kind]')?.dataset['kind'] ?? '';
        return `${kind} ${title.textContent.trim().slice(0, 8)}`;
      }),
    );
  expect(new Set(shown).size).toBe(shown.length);
  expect(shown.length).toBe(5);
});

test('a box that is not checked can be told from its ground, and from a checked one, in both themes', async ({
  page,
  open,
}) => {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await open('questions');
    const card = page.getByTestId('question-card');
    await card.getByLabel('YAML').check();
    for (const type of ['checkbox', 'radio']) {
      const boxes = card.locator(`input[type=${type}]:not(:checked)`);
      if (type === 'radio' && (await boxes.count()) === 0) continue;
      const looks = await boxes.first().evaluate((it) => {
        const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true })!;
        const luminance = (colour: string) => {
          canvas.fillStyle = colour;
          canvas.fillRect(0, 0, 1, 1);
          const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((part) =>
            part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
          ) as [number, number, number];
          return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const contrast = (a: string, b: string) =>
          (Math.max(luminance(a), luminance(b)) + 0.05) / (Math.min(luminance(a), luminance(b)) + 0.05);
        const style = getComputedStyle(it);
        let ground: Element | null = it.parentElement;
        while (ground && getComputedStyle(ground).backgroundColor === 'rgba(0, 0, 0, 0)') ground = ground.parentElement;
        const around = getComputedStyle(ground!).backgroundColor;
        return {
          own: style.appearance,
          inside: contrast(style.borderColor, style.backgroundColor),
          outside: contrast(style.borderColor, around),
          filled: contrast(style.backgroundColor, around),
        };
      });
      expect(looks.own).toBe('none');
      expect(looks.inside).toBeGreaterThanOrEqual(3);
      expect(looks.outside).toBeGreaterThanOrEqual(3);
      // Empty: of the colour of what it stands on.
      expect(looks.filled).toBeLessThan(1.5);
    }
  }
});

test('a message that is refused leaves no empty chat, and stays in the message box', async ({ page, open }) => {
  await open('not-sent', 0.1);
  await send(page, 'What is in this folder?');
  await expect(page.getByTestId('error-card')).toContainText('The disk is full.');
  await expect(page.getByTestId('composer')).toHaveValue('What is in this folder?');
  await expect(items(page)).toHaveCount(0);
  await page.getByTestId('composer').press('Enter');
  await expect(words(page)).toHaveText('Answered');
  await expect(items(page)).toHaveCount(1);
  await expect(page.getByTestId('composer')).toHaveValue('');
});
