// Esc closes what is open, stops what runs, answers no question, and the bar says which.

import { test } from './kept';
import { expect, words } from './window';

test('Esc stops what runs, and the button says so', async ({ page, open }) => {
  await open('streaming', 0.2);
  await expect(words(page)).toHaveText('Answering');
  await expect(page.getByTestId('stop')).toContainText('Esc');
  await page.getByTestId('composer').fill('and this');
  await expect(page.getByTestId('stop')).not.toContainText('Esc');
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('phase-bar')).toHaveAttribute('data-running', 'true');
  await page.getByTestId('composer').fill('');
  await expect(page.getByTestId('stop')).toContainText('Esc');
  await page.keyboard.press('Escape');
  await expect(words(page)).toHaveText('Stopped');
});

for (const scene of ['approval', 'command-asked', 'questions', 'paused', 'write-ready', 'write-repeats'])
  test(`A7: Esc answers no question, and the button does not say that it does: ${scene}`, async ({ page, open }) => {
    await open(scene, 0.2);
    await expect(words(page)).toHaveText(/^(?:Waiting for your|Paused)/);
    await expect(page.getByTestId('stop')).not.toContainText('Esc');
    const state = await words(page).textContent();
    await page.keyboard.press('Escape');
    await page.getByRole('region', { name: 'Conversation' }).press('Escape');
    await expect(words(page)).toHaveText(state ?? '');
    await expect(page.getByTestId('phase-bar')).toHaveAttribute('data-running', 'true');
  });

test('a difference that was opened is closed first, and the bar says so', async ({ page, open }) => {
  await open('write-done', 0.2);
  await page.getByTestId('review').click();
  await expect(page.getByTestId('diff-pane')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('diff-pane')).toHaveCount(0);
  await open('write-ready', 0.2);
  await page.getByTestId('wide').click();
  await expect(page.getByTestId('escape')).toHaveText('Esc shows the chat');
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('escape')).toHaveCount(0);
  await expect(words(page)).toHaveText('Waiting for your approval');
});
