// Questions of the model (A8): a card with choices and a line of one's own, and two ways not to answer.

import { test } from './kept';
import { expect, unfold, words } from './window';

test('A8: nothing is sent before every question has its answer, and then the turn goes on', async ({ page, open }) => {
  await open('questions', 0.2);
  await expect(words(page)).toHaveText('Waiting for your answer');
  const card = page.getByTestId('question-card');
  const answer = card.getByTestId('answer-questions');
  await expect(card.getByTestId('question')).toHaveCount(3);
  await expect(answer).toBeDisabled();
  await card.getByLabel('YAML').check();
  await card.getByLabel('The flags').check();
  await card.getByLabel('The file').check();
  await expect(answer).toBeDisabled();
  await card.getByLabel('No', { exact: true }).check();
  await answer.click();
  await expect(words(page)).toHaveText('Answered');
  await expect(card).toHaveCount(0);
  await expect(page.getByTestId('composer')).toBeFocused();
  await unfold(page);
  await page.getByTestId('tool-box-toggle').click();
  await expect(page.getByTestId('tool-result')).toContainText('format: YAML');
  await expect(page.getByTestId('tool-result')).toContainText('read: The file, The flags');
});

test("A8: words of one's own take the place of a choice", async ({ page, open }) => {
  await open('questions', 0.2);
  const first = page.getByTestId('question').first();
  await first.getByLabel('YAML').check();
  await first.getByTestId('own-words').fill('INI');
  await expect(first.getByLabel('YAML')).not.toBeChecked();
  await page.keyboard.press('Escape');
  await expect(words(page)).toHaveText('Waiting for your answer');
});

test('A8: questions can be left to the model', async ({ page, open }) => {
  await open('questions', 0.2);
  await page.getByTestId('dismiss-questions').click();
  await expect(words(page)).toHaveText('Answered');
  await expect(page.getByTestId('question-card')).toHaveCount(0);
});
