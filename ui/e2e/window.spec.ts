// Everything around the chat: keys, panels, sessions, settings, the first launch.

import type { Page } from '@playwright/test';
import { expect, test, turnTo, words } from './window';

test('the mark is painted before the window has a script, in the theme that was chosen, and makes room for the window', async ({
  page,
}) => {
  await page.addInitScript(() => localStorage.setItem('orion.preferences', JSON.stringify({ theme: 'dark' })));
  let come = () => {};
  const held = new Promise<void>((resolve) => (come = resolve));
  await page.route('**/open-*.js', async (route) => {
    await held;
    await route.continue();
  });
  await page.goto('/?replay=finished', { waitUntil: 'commit' });
  const shell = page.locator('#shell');
  await expect(shell).toHaveText('Orion');
  await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0);
  await expect(shell).toHaveCSS('background-color', 'rgb(21, 23, 28)');
  expect(await page.locator('body').ariaSnapshot()).toBe('');
  come();
  await expect(page.getByTestId('composer')).toBeVisible();
  await expect(shell).toHaveCount(0);
});

test('the composer sends with Enter, breaks the line with Shift+Enter, and grows', async ({ page, open }) => {
  await open('no-session', 0.1);
  const composer = page.getByTestId('composer');
  const height = (await composer.boundingBox())?.height ?? 0;
  await composer.pressSequentially('one');
  await composer.press('Shift+Enter');
  await composer.pressSequentially('two');
  await expect(composer).toHaveValue('one\ntwo');
  expect((await composer.boundingBox())?.height).toBeGreaterThan(height);
  await composer.press('Enter');
  await expect(page.getByRole('article')).toContainText('one\ntwo');
});

test('a suggestion made from the folder is sent as it stands', async ({ page, open }) => {
  await open('no-session', 0.1);
  await page.getByRole('button', { name: 'How does src/config.rs work?' }).click();
  await expect(page.getByRole('article', { name: 'Message: How does src/config.rs work?' })).toBeVisible();
  await expect(words(page)).toHaveText('Answered');
});

test('a message that was not taken is sent again as it was, and what is being written stays', async ({
  page,
  open,
}) => {
  await open('not-sent', 0.1);
  await page.getByTestId('composer').fill('Something else');
  await page.getByRole('button', { name: 'How does src/config.rs work?' }).click();
  const card = page.getByTestId('error-card');
  await expect(card).toContainText('The disk is full.');
  await card.getByRole('button', { name: 'Retry' }).click();
  await expect(page.getByRole('article', { name: 'Message: How does src/config.rs work?' })).toBeVisible();
  await expect(page.getByTestId('composer')).toHaveValue('Something else');
  await expect(card).toHaveCount(0);
});

test('what is typed while a message is on its way is the next message', async ({ page, open }) => {
  await open('no-session', 0.1, 1_000);
  await expect(page.getByRole('button', { name: 'How does src/config.rs work?' })).toBeVisible();
  await page.getByTestId('composer').fill('One');
  await page.getByTestId('composer').press('Enter');
  await expect(page.getByTestId('composer')).toHaveValue('');
  await page.getByTestId('composer').pressSequentially('Two');
  await expect(words(page)).toHaveText('Answered');
  await expect(page.getByTestId('asked')).toHaveText(['One']);
  await expect(page.getByTestId('composer')).toHaveValue('Two');
});

test('the palette finds a session by a few letters and goes there', async ({ page, open }) => {
  await open('finished');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('rounding');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('palette')).toHaveCount(0);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/Rounding in the cart/);
});

test('the palette has the keyboard before the next frame, so that no letter goes to the message box', async ({
  page,
  open,
}) => {
  await open('finished');
  await expect(page.getByTestId('composer')).toBeFocused();
  await page.evaluate(() => (window.requestAnimationFrame = () => 0));
  await page.keyboard.press('Control+k');
  await page.keyboard.type('rounding');
  expect(await page.getByRole('combobox', { name: 'Go to anything' }).inputValue()).toBe('rounding');
  expect(await page.getByTestId('composer').inputValue()).toBe('');
});

test('keys show and hide the panels, and open a folder', async ({ page, open }) => {
  await open('no-project');
  await expect(page.getByRole('navigation')).toBeVisible();
  await page.keyboard.press('Control+b');
  await expect(page.getByRole('navigation')).toHaveCount(0);
  // There is nothing in the other one yet, so it is closed until it is asked for.
  await expect(page.getByRole('complementary')).toHaveCount(0);
  await page.keyboard.press('Control+j');
  await expect(page.getByRole('complementary')).toBeVisible();
  await page.keyboard.press('Control+j');
  await expect(page.getByRole('complementary')).toHaveCount(0);
  await page.keyboard.press('Control+o');
  await expect(page.getByRole('heading', { name: 'Ask about foxes' })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Open a folder to begin' })).toBeVisible();
  await expect(page.getByRole('navigation')).toHaveCount(0);
});

test('the name of a project begins a chat in it, and the arrow folds its sessions', async ({ page, open }) => {
  await open('finished');
  await page.getByTestId('project-item').filter({ hasText: 'webshop' }).click();
  await expect(page.getByRole('heading', { name: 'Ask about webshop' })).toBeVisible();
  await expect(page.getByTestId('session-item')).toHaveCount(4);
  await page.getByRole('button', { name: 'Sessions of foxes' }).click();
  await expect(page.getByTestId('session-item')).toHaveCount(1);
});

test('every earlier session is reached: older ones come when they are asked for', async ({ page, open }) => {
  await open('many');
  const items = page.getByTestId('session-item');
  const older = page.getByRole('treeitem', { name: 'Show older' });
  await expect(items).toHaveCount(200);
  await older.click();
  await expect(items).toHaveCount(400);
  await older.click();
  await expect(items).toHaveCount(454);
  await expect(older).toHaveCount(0);
  await page.getByRole('treeitem', { name: /^Conversation 1,/ }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/^Conversation 1\s+foxes$/);
});

test('a session is renamed in place and deleted after a question', async ({ page, open }) => {
  await open('finished');
  const first = page.getByTestId('session-item').first();
  await first.hover();
  await first.getByRole('button', { name: 'Actions for How does the config loader work?' }).click();
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  await page.getByLabel('Name of the session').fill('The loader');
  await page.keyboard.press('Enter');
  await expect(first).toContainText('The loader');

  await first.hover();
  await first.getByRole('button', { name: 'Actions for The loader' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByTestId('session-item')).toHaveCount(4);
  await first.hover();
  await first.getByRole('button', { name: 'Actions for The loader' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByTestId('session-item')).toHaveCount(3);
  await expect(page.getByRole('heading', { name: 'Ask about foxes' })).toBeVisible();
});

/** The form for an endpoint of the person's own. */
const connecting = (page: Page) => page.getByTestId('elsewhere').click();

test('a model that answers on this computer is connected by its address', async ({ page, open }) => {
  await open('no-model');
  await connecting(page);
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Ollama/ })
    .click();
  await expect(page.getByTestId('base-url')).toHaveValue('http://127.0.0.1:11434/v1');
  await expect(page.getByText('Connected, 2 models available.')).toBeVisible();
  await expect(page.getByTestId('model-name')).toHaveValue('qwen3:8b');
  await page.getByTestId('save-endpoint').click();
  await page.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByTestId('connected')).toHaveText('Connected to ollama, 2 models available.');
});

test('what an endpoint answers that is not meant any more is dropped', async ({ page, open }) => {
  await page.clock.install();
  await open('no-model');
  await connecting(page);
  const asking = page.getByText('Testing the connection…');
  await page.clock.pauseAt(Date.now() + 3_600_000);
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Ollama/ })
    .click();
  await expect(asking).toBeVisible();
  await page.getByRole('button', { name: 'OpenRouter' }).click();
  await expect(asking).toHaveCount(0);
  await page.clock.runFor(1_000);
  await expect(page.getByTestId('base-url')).toHaveValue('https://openrouter.ai/api/v1');
  await expect(page.getByTestId('model-name')).toHaveValue('');
  await expect(page.getByText('models available')).toHaveCount(0);
});

test('a connection that is refused says why, and the form stays, wherever it is', async ({ page, open }) => {
  const refused = async () => {
    await page.getByTestId('base-url').fill('https://models.example/v1');
    await page.getByTestId('test-connection').click();
    const card = page.getByTestId('error-card');
    await expect(card).toContainText('The endpoint refused to answer without a key.');
    await expect(page.getByTestId('save-endpoint')).toBeDisabled();
    // Nothing leads away from what was written.
    await expect(card.getByRole('button', { name: 'Open settings' })).toHaveCount(0);
    await expect(page.getByTestId('base-url')).toHaveValue('https://models.example/v1');
  };
  await open('no-model');
  await connecting(page);
  await refused();
  await open('finished');
  await page.getByTestId('settings').click();
  await page.getByTestId('connect-model').click();
  await refused();
});

test('T4: a chip by the model says what the next message can take at most, and follows the budget', async ({
  page,
  open,
}) => {
  await open('no-session');
  const bound = page.getByTestId('bound');
  await expect(bound).toContainText('at most 21 model calls, 8 tool runs, 128 requests for file content');
  await page.getByRole('button', { name: 'Limits: 8 steps' }).click();
  await page.getByRole('radio', { name: '3 steps' }).click();
  await expect(bound).toContainText('at most 11 model calls, 3 tool runs, 48 requests for file content');
  await page.getByText('Details').click();
  await page.getByLabel('Steps in a turn').fill('5');
  await page.getByLabel('Tools calls in a step').fill('2');
  await page.keyboard.press('Tab');
  await expect(bound).toContainText('at most 15 model calls, 10 tool runs, 80 requests for file content');
  await page.getByRole('button', { name: 'Use my settings' }).click();
  await expect(bound).toContainText('at most 21 model calls, 8 tool runs, 128 requests for file content');
});

test('T4: each route shows its own bounds, whichever of them the settings choose', async ({ page, open }) => {
  await open('unified');
  const bound = page.getByTestId('bound');
  await expect(bound).toContainText('at most 25 model calls, 768 tool runs, 384 requests for file content');
  await page.keyboard.press('Control+,');
  await turnTo(page, 'Limits');
  await page.getByRole('checkbox', { name: /^Two-stage route/ }).check();
  await page.keyboard.press('Escape');
  await expect(bound).toContainText('at most 21 model calls, 8 tool runs, 128 requests for file content');
});

test('T4, P3: what a project lowers is in the numbers and the mode, and what is wrong in its file is said', async ({
  page,
  open,
}) => {
  await open('strict');
  const bound = page.getByTestId('bound');
  await expect(bound).toContainText('at most 9 model calls, 2 tool runs, 32 requests for file content');
  await expect(page.getByLabel('Mode: Plan')).toBeVisible();
  await page.getByRole('button', { name: 'Limits: 2 steps' }).click();
  await page.getByRole('radio', { name: /^Unified/ }).click();
  await expect(bound).toContainText('at most 3 model calls, 8 tool runs, 32 requests for file content');
  await expect(page.getByRole('dialog', { name: 'Limits' })).toContainText(
    "This project's own settings lower the limits.",
  );
  await page.getByText('Details').click();
  await page.getByLabel('Steps in a turn').fill('7');
  await page.keyboard.press('Tab');
  await expect(bound).toContainText('at most 8 model calls, 28 tool runs, 112 requests for file content');
  await page.keyboard.press('Escape');

  const fault = page
    .getByTestId('error-card')
    .filter({ hasText: '`limits.max_duplicates` asks for 9, and you allow 3' });
  await expect(fault).toHaveCount(1);
  // The settings show it in its place, and nothing over it.
  await fault.getByRole('button', { name: 'Open settings' }).click();
  await expect(page.getByTestId('settings-dialog').getByTestId('error-card')).toHaveCount(1);
  await expect(fault).toHaveCount(1);
  await page.keyboard.press('Escape');
  await fault.getByRole('button', { name: 'Dismiss' }).click();
  await expect(fault).toHaveCount(0);
  // It is not told again, and the settings still show it.
  await page.getByTestId('project-item').filter({ hasText: 'foxes' }).click();
  await page.keyboard.press('Control+,');
  await expect(page.getByTestId('settings-dialog').getByTestId('error-card')).toHaveCount(1);
  await page.keyboard.press('Escape');
  await expect(fault).toHaveCount(0);
});

test('the route is chosen by keyboard, and two-stage can be switched off for all', async ({ page, open }) => {
  await open('no-session');
  await page.getByRole('button', { name: 'Limits: 8 steps' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('radio', { name: /^Two-stage/ }).focus();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('radio', { name: /^Unified/ })).toBeChecked();
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('bound')).toContainText('at most 25 model calls, 768 tool runs');
  await page.keyboard.press('Control+,');
  await turnTo(page, 'Limits');
  await page.getByRole('checkbox', { name: /^Two-stage route/ }).uncheck();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /^Limits/ }).click();
  await expect(page.getByRole('radio', { name: /^Unified/ })).toBeChecked();
  await expect(page.getByRole('radio', { name: /^Two-stage/ })).toBeDisabled();
});

test('the theme that is chosen wins over the system and lasts', async ({ page, open }) => {
  await page.emulateMedia({ colorScheme: 'light' });
  await open('finished');
  await page.keyboard.press('Control+,');
  await turnTo(page, 'Appearance');
  await page.getByLabel('Dark').check();
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await expect.poll(paper).toBe('rgb(21, 23, 28)');
  await page.reload();
  await expect(page.locator('main')).toBeVisible();
  await expect.poll(paper).toBe('rgb(21, 23, 28)');
});

test('an endpoint is removed after a question, and its key is never shown', async ({ page, open }) => {
  await open('finished');
  await page.getByTestId('settings').click();
  const dialog = page.getByTestId('settings-dialog');
  await expect(dialog).toContainText('https://api.deepseek.com/v1 · Key in the keychain');
  await dialog.getByRole('button', { name: 'Remove ollama' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
  await expect(dialog.getByRole('button', { name: 'Remove ollama' })).toHaveCount(0);
});

test('an endpoint that is changed stays what it was for new turns, and a new one is the one they use', async ({
  page,
  open,
}) => {
  await open('finished');
  await page.getByTestId('settings').click();
  const dialog = page.getByTestId('settings-dialog');
  await dialog.getByRole('button', { name: 'Change ollama' }).click();
  await dialog.getByTestId('model-name').fill('gemma3:12b');
  await dialog.getByTestId('save-endpoint').click();
  await expect(dialog.getByTestId('connected')).toHaveText('Connected, 2 models available.');
  await expect(dialog.getByRole('radio', { name: /^ollama gemma3:12b/ })).not.toBeChecked();
  await expect(dialog.getByRole('radio', { name: /^deepseek/ })).toBeChecked();
  await dialog.getByTestId('connect-model').click();
  await dialog.getByRole('button', { name: 'LM Studio' }).click();
  await expect(dialog.getByTestId('model-name')).toHaveValue('qwen3:8b');
  await dialog.getByTestId('save-endpoint').click();
  await expect(dialog.getByRole('radio', { name: /^lm-studio/ })).toBeChecked();
});

test('the window of all models is set with their endpoint, and left to Orion again', async ({ page, open }) => {
  await open('finished');
  await page.getByTestId('settings').click();
  const dialog = page.getByTestId('settings-dialog');
  const change = async (window: string) => {
    await dialog.getByRole('button', { name: 'Change ollama' }).click();
    await dialog.locator('form').getByText('More', { exact: true }).click();
    await dialog.getByTestId('window').fill(window);
  };
  await change('512');
  await expect(dialog.getByTestId('save-endpoint')).toBeDisabled();
  await expect(dialog.getByTestId('save-endpoint')).toHaveAttribute(
    'title',
    'A window is a whole number from 1,024 to 10,000,000.',
  );
  await dialog.getByTestId('window').fill('8192');
  await dialog.getByTestId('max-output-tokens').fill('2048');
  await dialog.getByTestId('save-endpoint').click();
  await dialog.getByRole('button', { name: 'Change ollama' }).click();
  await dialog.locator('form').getByText('More', { exact: true }).click();
  await expect(dialog.getByTestId('window')).toHaveValue('8192');
  await expect(dialog.getByTestId('max-output-tokens')).toHaveValue('2048');
  await dialog.getByTestId('window').fill('');
  await dialog.getByTestId('save-endpoint').click();
  await dialog.getByRole('button', { name: 'Change ollama' }).click();
  await dialog.locator('form').getByText('More', { exact: true }).click();
  await expect(dialog.getByTestId('window')).toHaveValue('');
});

test('one model of an endpoint has sizes of its own, until they are taken away', async ({ page, open }) => {
  await open('finished');
  await page.getByTestId('settings').click();
  const dialog = page.getByTestId('settings-dialog');
  const change = async () => {
    await dialog.getByRole('button', { name: 'Change ollama' }).click();
    await dialog.locator('form').getByText('More', { exact: true }).click();
  };
  await change();
  await dialog.getByTestId('add-size').click();
  await dialog.getByLabel('Window of the model').fill('16384');
  await expect(dialog.getByTestId('save-endpoint')).toHaveAttribute('title', 'Name the model that has these sizes.');
  await dialog.getByTestId('size-model').fill('qwen3:32b');
  await dialog.getByTestId('save-endpoint').click();
  await change();
  await expect(dialog.getByTestId('size-model')).toHaveValue('qwen3:32b');
  await expect(dialog.getByLabel('Window of qwen3:32b')).toHaveValue('16384');
  await expect(dialog.getByLabel('Window of all models')).toHaveValue('');
  await dialog.getByRole('button', { name: 'Remove the sizes of qwen3:32b' }).click();
  await dialog.getByTestId('save-endpoint').click();
  await change();
  await expect(dialog.getByTestId('size-model')).toHaveCount(0);
});

test('the settings show how much room the sessions of each project take', async ({ page, open }) => {
  await open('finished');
  await page.getByTestId('settings').click();
  await turnTo(page, 'Storage');
  const space = page.getByTestId('space');
  await expect(space.locator('dt')).toHaveText(['foxes', 'webshop', 'The whole database']);
  await expect(space.locator('dd')).toHaveText(['41 MB', '5.2 MB', '63 MB']);
});

test('files are filtered, and a button puts a path into the message', async ({ page, open }) => {
  await open('finished');
  await page.keyboard.press('Control+j');
  await page.getByRole('tab', { name: 'Files' }).click();
  await page.getByLabel('Filter files').fill('config');
  await page.getByRole('complementary').getByRole('button', { name: 'Put src/config.rs into the message' }).click();
  await expect(page.getByTestId('composer')).toHaveValue('`src/config.rs` ');
});

test('J2: a span of any kind opens to what is known of it, in words', async ({ page, open }) => {
  const opens = async (kind: string, ...facts: string[]) => {
    await page.locator(`[data-testid=trace-row][data-kind=${kind}]`).first().click();
    const inspector = page.locator(`[data-testid=inspector][data-kind=${kind}]`);
    for (const fact of facts) await expect(inspector).toContainText(fact);
  };
  await open('finished');
  await page.keyboard.press('Control+j');
  await page.getByTestId('as-list').click();
  await opens('turn', 'Endpoint deepseek', 'Outcome done');
  await opens('tool_registration', 'Offered 5 tools');
  await opens('orchestration_phase', 'Took');
  await opens('model_call', 'The provider ended it with tool_calls');
  await opens('tool_call', 'Outcome done', 'recursive');
  await opens('tool_result', 'Result 12 entries');
  await open('write-done');
  await page.getByRole('tab', { name: 'Trace' }).click();
  await opens('write_session', 'File src/fox.rs', 'patience');
});

test('the trace of an earlier turn is shown whatever the panel showed, and whether it was there', async ({
  page,
  open,
}) => {
  await open('long');
  const trace = page.getByRole('tab', { name: 'Trace' });
  const show = page.getByTestId('show-trace').first();
  await page.keyboard.press('Control+j');
  await page.getByRole('tab', { name: 'Files' }).click();
  await show.click();
  await expect(trace).toHaveAttribute('aria-selected', 'true');
  await page.getByRole('button', { name: 'Latest turn' }).click();
  await expect(page.getByRole('button', { name: 'Latest turn' })).toHaveCount(0);
  await page.keyboard.press('Control+j');
  await expect(page.getByRole('complementary')).toHaveCount(0);
  await show.click();
  await expect(trace).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByRole('button', { name: 'Latest turn' })).toBeVisible();
});

test.describe('narrow', () => {
  test.use({ viewport: { width: 800, height: 600 } });

  test('the side panels are drawers, one at a time, and Esc closes them', async ({ page, open }) => {
    await open('finished');
    await expect(page.getByRole('navigation')).toHaveCount(0);
    await page.getByRole('button', { name: 'Sidebar' }).click();
    await expect(page.getByRole('navigation')).toBeVisible();
    await page.keyboard.press('Control+j');
    await expect(page.getByRole('complementary')).toBeVisible();
    await expect(page.getByRole('navigation')).toHaveCount(0);
    await page.keyboard.press('Escape');
    await expect(page.getByRole('complementary')).toHaveCount(0);
  });
});
