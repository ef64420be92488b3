// Messages that are written while a turn runs (A9): queued, changed, moved, sent when the turn has ended, and back in the composer after a stop.

import type { Page } from '@playwright/test';
import { test } from './kept';
import { expect, send, words } from './window';

/** Sends a message while a turn runs, and waits until it is in the queue. */
async function queue(page: Page, text: string): Promise<void> {
  await expect(page.getByTestId('phase-bar')).toHaveAttribute('data-running', 'true');
  await send(page, text);
  await expect(page.getByTestId('queued').last()).toHaveText(text);
}

test('A9: Enter queues a message while a turn runs, and the queue goes on in its order once the turn is answered', async ({
  page,
  open,
}) => {
  await open('queue', 0.2);
  await expect(page.getByTestId('send')).toHaveText('Queue');
  await queue(page, 'And where is it tested?');
  await queue(page, 'Write that down.');
  await expect(page.getByTestId('queued')).toHaveText(['And where is it tested?', 'Write that down.']);
  await expect(page.getByTestId('queue').getByRole('status').first()).toHaveText(
    'Queued: sent once you have answered and the turn has ended',
  );
  await expect(page.getByTestId('composer')).toHaveValue('');
  await page.getByRole('button', { name: 'Once' }).click();
  await expect(page.getByTestId('asked')).toHaveText(
    ['How does the config loader work?', 'And where is it tested?', 'Write that down.'],
    { timeout: 30_000 },
  );
  await expect(page.getByTestId('queue')).toHaveCount(0);
  await expect(words(page)).toHaveText('Answered', { timeout: 30_000 });
});

test('A9: a queued message is changed, moved by keys and by the menu, and removed', async ({ page, open }) => {
  await open('streaming', 0.05);
  for (const text of ['one', 'two', 'three']) await queue(page, text);
  const chips = page.getByTestId('queued');
  await expect(chips).toHaveText(['one', 'two', 'three']);
  await chips.first().locator('.text').focus();
  await page.keyboard.press('Alt+ArrowDown');
  await expect(chips).toHaveText(['two', 'one', 'three']);
  await expect(chips.nth(1).locator('.text')).toBeFocused();
  await chips.nth(2).getByRole('button', { name: 'Actions for the queued message' }).click();
  await page.getByRole('menuitem', { name: 'Move up' }).click();
  await expect(chips).toHaveText(['two', 'three', 'one']);
  await chips.first().locator('.text').click();
  const field = page.getByTestId('queued-edit');
  await expect(field).toBeFocused();
  await field.fill('two, and a half');
  await field.press('Enter');
  await expect(chips).toHaveText(['two, and a half', 'three', 'one']);
  await chips.nth(1).getByTestId('queued-remove').click();
  await expect(chips).toHaveText(['two, and a half', 'one']);
  // What is being changed is not lost by a key, and the turn is not stopped by it.
  await chips.first().locator('.text').click();
  await page.getByTestId('queued-edit').fill('something else');
  await page.keyboard.press('Escape');
  await expect(chips).toHaveText(['two, and a half', 'one']);
  await expect(page.getByTestId('phase-bar')).toHaveAttribute('data-running', 'true');
});

test('A9: a queued message is dragged to another place', async ({ page, open }) => {
  await open('streaming', 0.05);
  for (const text of ['one', 'two', 'three']) await queue(page, text);
  const chips = page.getByTestId('queued');
  await chips.nth(2).dragTo(chips.first());
  await expect(chips).toHaveText(['three', 'one', 'two']);
});

test('A9: on Stop the queue returns to the composer, before what is being written there', async ({ page, open }) => {
  await open('streaming', 0.05);
  await queue(page, 'one');
  await queue(page, 'two');
  await page.getByTestId('composer').fill('a draft');
  await page.getByTestId('stop').click();
  await expect(words(page)).toHaveText('Stopped');
  await expect(page.getByTestId('composer')).toHaveValue('one\n\ntwo\n\na draft');
  await expect(page.getByTestId('queue')).toHaveCount(0);
});

test('A9: a message is sent now: the turn is stopped first, and the rest of the queue stays', async ({
  page,
  open,
}) => {
  await open('streaming', 0.05);
  await queue(page, 'one');
  await queue(page, 'two');
  await page.getByTestId('queued').nth(1).getByRole('button', { name: 'Actions for the queued message' }).click();
  await page.getByRole('menuitem', { name: 'Stop and send now' }).click();
  await expect(page.getByTestId('asked')).toHaveText([/config loader/, 'two', 'one'], { timeout: 20_000 });
  await expect(page.getByTestId('composer')).toHaveValue('');
});

test('A9: a queue that is held says so, and one button sends it', async ({ page, open }) => {
  await open('queue-held');
  await expect(page.getByTestId('queue').getByRole('status').first()).toHaveText('Held: sent when you say so');
  await page.getByTestId('queue-release').click();
  await expect(page.getByTestId('asked').nth(1)).toHaveText('And where is it tested?');
});

test('A9: Alt+Enter gives the message to the running turn, where it stands in the chat', async ({ page, open }) => {
  await open('queue', 0.2);
  await expect(page.getByTestId('send')).toHaveText('Queue');
  await page.getByTestId('composer').fill('Only in src, please.');
  await page.getByTestId('composer').press('Alt+Enter');
  const steered = page.getByTestId('steered');
  await expect(steered).toHaveAttribute('data-to', 'waiting');
  await expect(steered).toContainText('The model reads this before its next answer.');
  await expect(page.getByTestId('composer')).toHaveValue('');
  await expect(page.getByTestId('queue')).toHaveCount(0);
  await page.getByRole('button', { name: 'Once' }).click();
  await expect(words(page)).toHaveText('Answered');
  await expect(steered).toHaveAttribute('data-to', 'model');
  await expect(steered).toHaveText('Only in src, please.');
});

test('A9: a steered message that no answer was left for says that it is in the queue', async ({ page, open }) => {
  await open('steered-late');
  await expect(page.getByTestId('steered')).toHaveAttribute('data-to', 'queue');
  await expect(page.getByTestId('queued')).toHaveText(['And where is it tested?']);
});

test('A9: what is in the composer is sent now from its menu: the turn is stopped first', async ({ page, open }) => {
  await open('streaming', 0.05);
  await page.getByTestId('composer').fill('Something else.');
  await page.getByRole('button', { name: 'Other ways to send' }).click();
  await page.getByRole('menuitem', { name: 'Stop and send now' }).click();
  await expect(page.getByTestId('asked')).toHaveText([/config loader/, 'Something else.']);
  await expect(page.getByTestId('composer')).toHaveValue('');
});

test('A4: that a stop was pressed is seen at once, also where the disk takes long', async ({ page, open }) => {
  await open('stop-slow', 0.05);
  const stop = page.getByTestId('stop');
  await expect(stop).toHaveAttribute('title', 'Stop the turn. What has arrived is kept.');
  await queue(page, 'one');
  await expect(stop).toHaveAttribute('title', 'Stop the turn: 1 waiting message returns to the message box.');
  // In frames, of which 200 ms have twelve: a machine under load holds up a page for reasons of its own.
  const frames = await page.evaluate(async () => {
    const bar = document.querySelector("[data-testid='state']");
    let frames = 0;
    document.querySelector<HTMLButtonElement>("[data-testid='stop']")?.click();
    while (bar?.textContent !== 'Stopping') {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      frames += 1;
    }
    return frames;
  });
  expect(frames).toBeLessThan(12);
  await expect(words(page)).toHaveText('Stopped');
  await expect(page.getByTestId('composer')).toHaveValue('one');
});
