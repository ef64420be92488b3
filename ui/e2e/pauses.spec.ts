// A turn that pauses (A2): its results are read, edited or dropped before the model is given them, and nothing goes on meanwhile (A7).

import { test } from './kept';
import { expect, unfold, words } from './window';

test('A2: the result is shown, edited in place, and the turn goes on with what the person left', async ({
  page,
  open,
}) => {
  await open('paused', 0.2);
  await expect(words(page)).toHaveText('Paused: look at the result');
  const card = page.getByTestId('pause-card');
  await expect(card.getByTestId('tool-result')).toContainText('password = "hunter2"');
  await card.getByTestId('edit-result').click();
  const text = card.getByTestId('result-text');
  await expect(text).toBeFocused();
  await text.fill('password = "…"\n');
  // What is being written is not lost by a key, and the turn is not stopped by it.
  await page.keyboard.press('Escape');
  await expect(text).toHaveValue('password = "…"\n');
  await expect(words(page)).toHaveText('Paused: look at the result');
  await card.getByRole('button', { name: 'Resume with your changes' }).click();
  await expect(words(page)).toHaveText('Answered');
  await expect(card).toHaveCount(0);
  await unfold(page);
  await page.getByTestId('tool-box-toggle').click();
  await expect(page.getByTestId('edited-result')).toHaveText(
    'What the tool returned. You edited it: the model was given 17 B of your text in its place.',
  );
});

test('A2: a result is dropped, and kept after all', async ({ page, open }) => {
  await open('paused', 0.2);
  const card = page.getByTestId('pause-card');
  await card.getByTestId('drop-result').click();
  await expect(card.getByTestId('paused-result')).toHaveAttribute('data-mode', 'dropped');
  await card.getByTestId('keep-result').click();
  await expect(card.getByTestId('pause-resume')).toHaveText('Resume');
  await card.getByTestId('drop-result').click();
  await card.getByTestId('pause-resume').click();
  await expect(words(page)).toHaveText('Answered');
  await unfold(page);
  await page.getByTestId('tool-box-toggle').click();
  await expect(page.getByTestId('edited-result')).toContainText('You dropped it: the model was only told that it ran.');
});

test('A2: each of several results is decided by itself', async ({ page, open }) => {
  await open('paused-twice', 0.2);
  await expect(words(page)).toHaveText('Paused: look at the results');
  const results = page.getByTestId('paused-result');
  await expect(results).toHaveCount(2);
  await results.first().getByTestId('drop-result').click();
  await expect(results.last()).toHaveAttribute('data-mode', 'given');
});

test('A4: a paused turn is stopped by its button and not by a key', async ({ page, open }) => {
  await open('paused', 0.2);
  await expect(page.getByTestId('pause-card')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(words(page)).toHaveText('Paused: look at the result');
  await page.getByTestId('stop').click();
  await expect(words(page)).toHaveText('Stopped');
});

test('A7: a pause that outlived its process is resumed all the same', async ({ page, open }) => {
  await open('paused-waiting', 0.2);
  await expect(words(page)).toHaveText('Paused: look at the result');
  await expect(page.getByTestId('pause')).toHaveCount(0);
  await page.getByTestId('pause-resume').click();
  await expect(words(page)).toHaveText('Answered');
});

test('A2: Pause takes hold after the step, and pressed again at once, with what it costs to go on', async ({
  page,
  open,
}) => {
  await open('streaming', 0.2);
  const bar = page.getByTestId('phase-bar');
  await page.getByTestId('pause').click();
  await expect(bar).toContainText('pauses after this step');
  await expect(page.getByTestId('pause')).toHaveText('Pause now');
  await page.getByTestId('pause').click();
  await expect(words(page)).toHaveText('Paused');
  await expect(page.getByTestId('pause-card')).toContainText("Resuming takes one of the turn's 3 steps.");
});

test('the switch says whether the turn pauses after each tool', async ({ page, open }) => {
  await open('streaming', 0.2);
  const after = page.getByRole('switch', { name: 'Pause after tool' });
  await expect(after).not.toBeChecked();
  await after.click();
  await expect(after).toBeChecked();
  await open('paused', 0.2);
  await expect(after).toBeChecked();
});
