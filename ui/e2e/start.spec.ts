// From the first start to the first answer: what Orion is, connecting, folders, and the tour.

import type { Page } from '@playwright/test';
import { inaccessible } from './accessible';
import { expect, test, words } from './window';

const save = (page: Page) => page.getByTestId('save-endpoint').click();

test('three sentences say what it does, that it can write, and that it shows first, without jargon', async ({
  page,
  open,
}) => {
  await open('welcome');
  const said = await page.getByTestId('welcome').innerText();
  expect(said).toContain('always shows you the change first');
  expect(said).not.toMatch(
    /\b(endpoints?|tokens?|tools?|cycles?|routes?|phases?|API|scripted|prompts?|budget|agents?|URL)\b/i,
  );
});

test('a model that answers on this computer is four clicks away from an answer', async ({ page, open }) => {
  await open('welcome', 0.1);
  await page.getByRole('button', { name: /^Ollama/ }).click();
  await expect(page.getByTestId('model-name')).toHaveValue('qwen3:8b');
  await save(page);
  await page.getByTestId('open-folder').first().click();
  await page.getByRole('button', { name: 'How does src/config.rs work?' }).click();
  await expect(words(page)).toHaveText('Answered');
});

test('saving tests the connection: a model that is not listed is refused until one is chosen, or the person insists', async ({
  page,
  open,
}) => {
  await open('welcome');
  await page.getByRole('button', { name: /^Ollama/ }).click();
  await expect(page.getByTestId('model-name')).toHaveValue('qwen3:8b');
  await page.getByTestId('model-name').fill('gemma3');
  await save(page);
  const refused = page.getByTestId('unlisted');
  await expect(refused).toContainText('The connection works, but gemma3 is not among its 2 models.');
  await refused.getByRole('button', { name: 'gemma3:12b' }).click();
  await expect(page.getByTestId('model-name')).toHaveValue('gemma3:12b');
  await expect(refused).toHaveCount(0);
  await page.getByTestId('model-name').fill('mine');
  await save(page);
  await page.getByTestId('save-anyway').click();
  await expect(page.getByRole('heading', { name: 'Open a folder to begin' })).toBeVisible();
});

test('an address that refuses is not saved, unless the person insists', async ({ page, open }) => {
  await open('no-model');
  await page.getByTestId('connect-model').click();
  await page.getByTestId('base-url').fill('https://models.example/v1');
  await page.getByTestId('model-name').fill('m');
  await save(page);
  await expect(page.getByTestId('error-card')).toContainText('The endpoint refused to answer without a key.');
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.getByTestId('error-card').getByRole('button', { name: 'Save anyway' }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
});

test('a dialog says that it is connected before it closes', async ({ page, open }) => {
  await open('no-model');
  await page.getByTestId('connect-model').click();
  await page.getByRole('button', { name: /^Ollama/ }).click();
  await expect(page.getByTestId('model-name')).toHaveValue('qwen3:8b');
  await save(page);
  await expect(page.getByRole('dialog').getByTestId('connected')).toHaveText('Connected, 2 models available.');
  await expect(page.getByRole('button', { name: 'Done' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toHaveCount(0);
});

test('a key that could not be kept is marked before a message fails, and can be entered', async ({ page, open }) => {
  await open('key-lost');
  const card = page.getByTestId('key-missing');
  await expect(card).toContainText('The key of deepseek is gone.');
  await card.getByRole('button', { name: 'Enter the key' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByTestId('key-kept')).toContainText('Orion forgets the key when it closes');
  await dialog.getByTestId('api-key').fill('sk-1');
  await dialog.getByTestId('model-name').fill('qwen3:8b');
  await save(page);
  await expect(dialog.getByTestId('connected')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(card).toHaveCount(0);
});

test('folders that were open before are offered, and none where none is known', async ({ page, open }) => {
  await open('no-session');
  await page.getByTestId('recent').getByRole('button', { name: 'webshop' }).click();
  await expect(page.getByRole('heading', { name: 'Ask about webshop' })).toBeVisible();
  await open('no-project');
  await expect(page.getByRole('heading', { name: 'Open a folder to begin' })).toBeVisible();
  await expect(page.getByTestId('recent')).toHaveCount(0);
});

const part = (page: Page, name: string) =>
  expect(page.locator(`[data-testid=tour][data-part=${name}][data-there=true]`)).toBeVisible();

test('the tour is by keyboard alone, on a real turn, and is remembered', async ({ page, open }) => {
  await open('tour', 0.1);
  await page.getByTestId('take-tour').focus();
  await page.keyboard.press('Enter');
  await part(page, 'ask');
  const callout = page.getByTestId('tour');
  const next = callout.getByTestId('tour-next');
  await expect(callout).toBeFocused();
  await expect(callout).toHaveAccessibleName('Ask in plain words');
  await next.press('Enter');
  for (const name of ['step', 'limit']) {
    await part(page, name);
    await expect(callout).toBeFocused();
    expect(await inaccessible(page, '[data-testid=tour]')).toEqual([]);
    await next.press('Enter');
  }
  await part(page, 'preview');
  await expect(next).toHaveCount(0);
  await callout.getByTestId('tour-back').press('Enter');
  await part(page, 'limit');
  await next.press('Enter');
  await part(page, 'preview');
  await expect(page.getByTestId('write-approve')).toBeEnabled();
  await page.keyboard.press('Control+Enter');
  await part(page, 'answer');
  await next.press('Enter');
  await part(page, 'trace');
  await next.press('Enter');
  await expect(callout).toHaveCount(0);
  await expect(page.getByTestId('composer')).toBeFocused();
  await page.evaluate(() => sessionStorage.clear());
  await open('tour');
  await expect(page.getByTestId('take-tour')).toHaveText('Take the tour again');
});

test('Esc leaves the tour and stops nothing', async ({ page, open }) => {
  await open('tour', 0.1);
  await page.getByTestId('take-tour').click();
  await part(page, 'ask');
  await page.getByTestId('tour-next').press('Enter');
  await part(page, 'step');
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('tour')).toHaveCount(0);
  await expect(page.getByTestId('write-approve')).toBeVisible();
});
