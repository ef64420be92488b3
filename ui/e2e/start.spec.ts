// From the first start to the first answer: what Orion is, connecting, folders, and the tour.

import type { Page } from '@playwright/test';
import { inaccessible } from './accessible';
import { expect, send, test, words } from './window';

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

test('a folder comes first: the first start asks for one, and then for a model', async ({ page, open }) => {
  await open('welcome', 0.1);
  await page.getByTestId('open-folder').click();
  await expect(page.getByRole('heading', { name: 'Ask about foxes' })).toBeVisible();
  await expect(page.getByTestId('folder-found')).toHaveText('9 files · AGENTS.md · git');
  await expect(page.getByTestId('use-found')).toBeVisible();
});

test('with a folder, a local server answers after two clicks: the model that was found, and a task', async ({
  page,
  open,
}) => {
  await open('no-model', 0.1);
  await page.getByRole('button', { name: 'Use qwen3:8b with Ollama on this computer' }).click();
  await page.getByRole('button', { name: 'How does src/config.rs work?' }).click();
  await expect(words(page)).toHaveText('Answered');
});

test('a key of the environment is one button, and until it is pressed nothing is asked with the key', async ({
  page,
  open,
}) => {
  await open('models-found', 0.1);
  const card = page.getByTestId('first-model');
  await expect(card.getByTestId('use-found')).toHaveText('Use qwen3:8b with Ollama on this computer');
  await expect(card).toContainText('Until you choose one, nothing is sent with a key.');
  await card.getByRole('button', { name: 'Use deepseek-chat with the key from DEEPSEEK_API_KEY' }).click();
  await expect(page.getByTestId('composer')).toBeFocused();
});

test('where nothing is found the field for a key is there at once, and the key says whose it is', async ({
  page,
  open,
}) => {
  await open('nothing-found', 0.1);
  const form = page.getByTestId('first-key');
  const go = form.getByTestId('first-key-go');
  await expect(go).toBeDisabled();
  await form.getByTestId('paste-key').fill('sk-or-v1-0123456789');
  await expect(form.getByTestId('key-of')).toHaveText('A key of OpenRouter');
  await go.press('Enter');
  // All models, to choose from.
  await expect(form.getByRole('radio')).toHaveCount(2);
  await form.getByRole('radio', { name: 'gemma3:12b' }).check();
  await expect(go).toHaveText('Use gemma3:12b');
  await go.click();
  await expect(page.getByTestId('connected')).toHaveText('Connected to openrouter, 2 models available.');
});

test('a key can be pasted while models are looked for: those that are found come above it, and take nothing from it', async ({
  page,
  open,
}) => {
  await open('models-late', 0.1);
  const card = page.getByTestId('first-model');
  const field = card.getByTestId('paste-key');
  await expect(page.getByRole('status').filter({ hasText: 'Looking for models' })).toBeVisible();
  await expect(field).not.toBeFocused();
  await field.pressSequentially('sk-or-v1-0123');
  await page.evaluate(() => window.dispatchEvent(new Event('orion:found')));
  await expect(card.getByTestId('use-found')).toBeVisible();
  await expect(field).toBeFocused();
  await expect(field).toHaveValue('sk-or-v1-0123');
  const top = async (id: string) => (await card.getByTestId(id).boundingBox())?.y ?? 0;
  expect(await top('use-found')).toBeLessThan(await top('paste-key'));
});

test('a key that does not say whose it is asks, and nothing is sent before somebody says so', async ({
  page,
  open,
}) => {
  await open('nothing-found', 0.1);
  const form = page.getByTestId('first-key');
  await form.getByTestId('paste-key').fill('sk-1');
  await expect(form.getByTestId('first-key-go')).toBeDisabled();
  await form.getByRole('button', { name: 'OpenAI' }).click();
  await expect(form.getByTestId('first-key-go')).toBeEnabled();
});

const connecting = (page: Page) => page.getByTestId('elsewhere').click();

test('saving tests the connection: a model that is not listed is refused until one is chosen, or the person insists', async ({
  page,
  open,
}) => {
  await open('no-model');
  await connecting(page);
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Ollama/ })
    .click();
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
  await expect(page.getByRole('dialog')).toHaveCount(0);
});

test('an address that refuses is not saved, unless the person insists', async ({ page, open }) => {
  await open('no-model');
  await connecting(page);
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
  await connecting(page);
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Ollama/ })
    .click();
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
  const dialog = page.getByTestId('key-dialog');
  await expect(dialog.getByTestId('key-kept')).toContainText('Orion forgets the key when it closes');
  await expect(dialog.getByTestId('api-key')).toBeFocused();
  // It asks for the key, and for nothing else.
  await expect(dialog.locator('input')).toHaveCount(1);
  await dialog.getByTestId('api-key').fill('sk-1');
  await page.keyboard.press('Enter');
  await expect(dialog).toHaveCount(0);
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

const played = (page: Page, scene: string) =>
  expect(page.locator(`[data-testid=tour][data-scene=${scene}][data-moment=played]`)).toBeVisible({ timeout: 15_000 });

test('the tour is four live scenes, each one click: a loop ended, a write reviewed, a rewind, a request', async ({
  page,
  open,
}) => {
  test.setTimeout(60_000);
  await open('tour', 0.1);
  const callout = page.getByTestId('tour');
  const next = callout.getByTestId('tour-next');

  await page.getByTestId('take-tour').click();
  await played(page, 'stuck');
  await expect(callout).toHaveAccessibleName('It gets stuck');
  await expect(page.getByTestId('answer').last()).toContainText('Then I was given no more tools.');
  await expect(callout).toBeFocused();
  expect(await inaccessible(page, '[data-testid=tour]')).toEqual([]);

  await expect(next).toHaveText('It wants to write');
  await next.click();
  await expect(callout).toHaveAttribute('data-moment', 'approves', { timeout: 15_000 });
  await expect(page.locator('[data-testid=hunk][data-rejected=true]')).toHaveCount(1);
  await played(page, 'write');
  await expect(page.getByTestId('answer').last()).toContainText('`opening-hours.md` is written.'.replaceAll('`', ''));

  await next.click();
  await expect(page.getByTestId('rewind-go')).toBeVisible();
  await played(page, 'back');
  await expect(page.getByTestId('rewind-undo')).toBeVisible();

  await next.click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.keyboard.press('Escape');
  await played(page, 'inside');

  // It ends in a folder of the person's own, and is remembered.
  await callout.getByTestId('tour-own').click();
  await expect(callout).toHaveCount(0);
  await expect(page.getByRole('heading', { name: 'Ask about foxes' })).toBeVisible();
  await page.evaluate(() => sessionStorage.clear());
  await open('tour');
  await expect(page.getByTestId('take-tour')).toHaveText('Take the tour again');
});

test('what a person does in a scene counts, and the tour only does what is left', async ({ page, open }) => {
  test.setTimeout(60_000);
  await open('tour', 0.1);
  await page.getByTestId('take-tour').click();
  await played(page, 'stuck');
  await page.getByTestId('tour-next').click();
  await page.getByTestId('write-reject').click();
  await played(page, 'write');
  await expect(page.locator('[data-testid=write-box]')).toContainText('rejected');
});

/** More than a scene takes. */
const LATER_MS = 20_000;

const takeTour = async (page: Page) => {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Go to anything' }).fill('Take the tour');
  await page.keyboard.press('Enter');
};

test('who goes to another session in the middle of a scene has left the tour: nothing is approved, rejected, rewound or sent', async ({
  page,
  open,
}) => {
  await page.clock.install();
  await open('tour-beside', 0.1);
  const approve = page.getByTestId('write-approve');
  const callout = page.getByTestId('tour');
  await expect(approve).toBeEnabled();
  await takeTour(page);
  await played(page, 'stuck');
  await page.getByTestId('tour-next').click();
  await expect(approve).toBeEnabled();
  await expect(callout).toHaveAttribute('data-scene', 'write');

  await page.getByTestId('session-item').filter({ hasText: 'config loader' }).click();
  await expect(callout).toHaveCount(0);
  await expect(page.getByTestId('hunk').first()).toBeVisible();
  await page.clock.runFor(LATER_MS);
  await expect(approve).toBeEnabled();
  await expect(page.locator('[data-testid=hunk][data-rejected=true]')).toHaveCount(0);
  await expect(page.getByRole('article')).toHaveCount(1);
  await expect(page.getByRole('dialog')).toHaveCount(0);

  // What the tour has sent waits as well.
  await page.getByTestId('session-item').filter({ hasText: 'seeds.csv' }).click();
  await expect(page.getByRole('article')).toHaveCount(2);
  await expect(approve).toBeEnabled();
});

test('a message of the person after the one that the tour sent is taken back by nobody else', async ({
  page,
  open,
}) => {
  await page.clock.install();
  await open('tour', 0.1);
  await page.getByTestId('take-tour').click();
  await played(page, 'stuck');
  await page.getByTestId('tour-next').click();
  await played(page, 'write');
  await send(page, 'And in summer?');
  await page.getByTestId('write-reject').click();
  await expect(page.getByTestId('write-reject')).toHaveCount(0);
  await page.getByTestId('tour-next').click();
  await expect(page.getByTestId('rewind-go')).toBeEnabled();
  await page.clock.runFor(LATER_MS);
  await expect(page.getByTestId('rewind-go')).toBeEnabled();
  await page.keyboard.press('Escape');
  await played(page, 'back');
  await expect(page.getByRole('article')).toHaveCount(3);
});

test('a message of the tour that cannot be sent ends its scene, which says so and can be played again', async ({
  page,
  open,
}) => {
  await open('tour-unsent', 0.1);
  await page.getByTestId('take-tour').click();
  const callout = page.getByTestId('tour');
  await expect(callout).toHaveAttribute('data-moment', 'unsent');
  await expect(callout.getByRole('status')).toHaveText(
    'Its message could not be sent. Try it again, or leave the tour.',
  );
  await expect(page.getByTestId('error-card')).toContainText('The disk is full.');
  await callout.getByTestId('tour-again').click();
  await played(page, 'stuck');
});

test('a project that is opened from outside ends the tour, and closes the dialog of its scene', async ({
  page,
  open,
}) => {
  await open('tour-beside', 0.1);
  await expect(page.getByTestId('write-approve')).toBeEnabled();
  await takeTour(page);
  await played(page, 'stuck');
  await page.getByTestId('tour-next').click();
  await played(page, 'write');
  await page.getByTestId('tour-next').click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.evaluate(() => dispatchEvent(new Event('orion:shown')));
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page.getByTestId('tour')).toHaveCount(0);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('foxes');
});

test('Esc leaves the tour and stops nothing', async ({ page, open }) => {
  await open('tour', 0.1);
  await page.getByTestId('take-tour').click();
  await played(page, 'stuck');
  await page.getByTestId('tour-next').click();
  await expect(page.getByTestId('write-approve')).toBeEnabled();
  await page.getByTestId('tour').focus();
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('tour')).toHaveCount(0);
  await expect(page.getByTestId('write-approve')).toBeVisible();
});

test('a folder that is gone is one card, and the sessions go on where it is now', async ({ page, open }) => {
  await open('folder-gone');
  const card = page.getByTestId('folder-gone');
  await expect(card).toContainText('The folder foxes is not there.');
  await expect(page.getByRole('alert')).toHaveCount(1);
  await card.getByRole('button', { name: 'Locate…' }).click();
  await expect(card).toHaveCount(0);
  await page.getByTestId('composer').fill('And now?');
  await page.keyboard.press('Enter');
  await expect(words(page)).toHaveText('Answered');
});
