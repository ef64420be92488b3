// Writing a message: commands, the person's own prompts, drafts, and earlier messages.

import type { Page } from '@playwright/test';
import { test } from './kept';
import { expect, words } from './window';

/** What the recorded core keeps. */
const drafts = (page: Page) =>
  page.evaluate(() =>
    Object.entries({ ...sessionStorage })
      .filter(([key]) => key.startsWith('draft '))
      .map(([, text]) => String(text))
      .sort(),
  );

test('a slash lists what can act now, and Enter does it', async ({ page, open }) => {
  await open('finished');
  const composer = page.getByTestId('composer');
  const list = page.getByTestId('slash');
  await composer.fill('/');
  await expect(list.getByRole('option', { name: /^\/plan/ })).toBeVisible();
  // It is in force, runs not, and has nothing to undo.
  for (const name of ['act', 'stop', 'undo'])
    await expect(list.getByRole('option', { name: new RegExp(`^/${name}`) })).toHaveCount(0);
  await composer.fill('/pla');
  await composer.press('Enter');
  await expect(page.getByLabel('Mode: Plan')).toBeVisible();
  await expect(composer).toHaveValue('');
  await composer.fill('/exp');
  await expect(list.getByRole('option')).toHaveCount(2);
  await composer.press('ArrowUp');
  await composer.press('ArrowDown');
  await composer.press('Enter');
  await expect(page.getByRole('dialog', { name: /Export/ })).toBeVisible();
});

test('a command takes what follows its name: the models of the endpoint, or any other', async ({ page, open }) => {
  await open('finished');
  const composer = page.getByTestId('composer');
  await composer.fill('/mod');
  await composer.press('Enter');
  await expect(composer).toHaveValue('/model ');
  await expect(page.getByTestId('slash').getByRole('option')).toHaveCount(2);
  await composer.pressSequentially('reas');
  await expect(page.getByTestId('slash').getByRole('option')).toHaveCount(1);
  await composer.press('Enter');
  await expect(page.getByRole('button', { name: 'Model: deepseek-reasoner' })).toBeVisible();
  await composer.fill('/model own-model');
  await composer.press('Enter');
  await expect(page.getByRole('button', { name: 'Model: own-model' })).toBeVisible();
});

test('a prompt of the person is put into the field with what was written after its name, and sent from there', async ({
  page,
  open,
}) => {
  await open('finished', 0.1);
  const composer = page.getByTestId('composer');
  await composer.fill('/rev');
  await composer.press('Tab');
  await composer.pressSequentially('src/config.rs');
  await composer.press('Enter');
  await expect(composer).toHaveValue('Review src/config.rs. Name each mistake with its line.');
  await composer.press('Enter');
  await expect(page.getByRole('article').last()).toContainText('Review src/config.rs.');
});

test('each session keeps its draft, also over a restart, and nothing is left of one that was sent', async ({
  page,
  open,
}) => {
  await open('finished', 0.1);
  const composer = page.getByTestId('composer');
  await composer.fill('half a sent');
  await page.getByTestId('session-item').filter({ hasText: 'Release notes' }).click();
  await expect(composer).toHaveValue('');
  await composer.fill('another one');
  await page.getByTestId('session-item').filter({ hasText: 'config loader' }).click();
  await expect(composer).toHaveValue('half a sent');
  await composer.pressSequentially('ence');
  // What a crash leaves is what was saved shortly after the last key.
  await expect.poll(() => drafts(page)).toEqual(['another one', 'half a sentence']);
  await page.reload();
  await expect(composer).toHaveValue('half a sentence');
  await composer.press('Enter');
  await expect(composer).toHaveValue('');
  await expect.poll(() => drafts(page)).toEqual(['another one']);
});

test('the draft of a new session goes with its first message', async ({ page, open }) => {
  await open('no-session', 0.1);
  const composer = page.getByTestId('composer');
  await composer.fill('What is here?');
  await expect.poll(() => drafts(page)).toEqual(['What is here?']);
  await composer.press('Enter');
  await expect(words(page)).toHaveText('Answered');
  await expect.poll(() => drafts(page)).toEqual([]);
});

test('Up in an empty field brings back earlier messages, Down goes forward, and Esc to the empty field', async ({
  page,
  open,
}) => {
  await open('finished');
  const composer = page.getByTestId('composer');
  await composer.focus();
  await composer.press('ArrowUp');
  await expect(composer).toHaveValue('Is the order of the sources tested?');
  await composer.press('ArrowUp');
  await expect(composer).toHaveValue('Compare these:\n- flags\n- variables');
  await composer.press('ArrowUp');
  await composer.press('ArrowUp');
  await expect(composer).toHaveValue('How does the config loader work?');
  await composer.press('ArrowDown');
  await expect(composer).toHaveValue('Compare these:\n- flags\n- variables');
  await composer.press('Escape');
  await expect(composer).toHaveValue('');
  // In a text of one's own, keys belong to the text.
  await composer.fill('mine');
  await composer.press('ArrowUp');
  await expect(composer).toHaveValue('mine');
});

test('a command that there is not is not sent to the model, unless the person insists', async ({ page, open }) => {
  await open('no-session', 0.1);
  const composer = page.getByTestId('composer');
  await composer.fill('/paln the den');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('unknown-command')).toContainText('There is no command /paln');
  await expect(composer).toHaveValue('/paln the den');
  await composer.press('End');
  await page.keyboard.type('!');
  await expect(page.getByTestId('unknown-command')).toHaveCount(0);
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('unknown-command')).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(composer).toHaveValue('');
  await expect(words(page)).toHaveText('Answered');
});
