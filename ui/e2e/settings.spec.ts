// The settings: pages, search, sources and the way back, what is set for models, and what a person tells them.

import type { Page } from '@playwright/test';
import { fits } from './looks';
import { test } from './kept';
import { expect, turnTo } from './window';

const dialogOf = (page: Page) => page.getByTestId('settings-dialog');
const row = (page: Page, path: string) => dialogOf(page).locator(`[data-place='${path}']`);

async function openSettings(page: Page): Promise<void> {
  await page.keyboard.press('Control+,');
  await expect(dialogOf(page)).toBeVisible();
}

test('the list of pages is one stop, and arrows turn the pages', async ({ page, open }) => {
  await open('finished');
  await openSettings(page);
  const search = page.getByTestId('settings-search');
  await search.focus();
  await page.keyboard.press('Tab');
  await expect(page.getByTestId('settings-tab-models')).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByTestId('settings-tab-limits')).toBeFocused();
  await expect(dialogOf(page).getByRole('heading', { name: 'Limits', level: 3 })).toBeVisible();
  await page.keyboard.press('End');
  await expect(page.getByTestId('settings-tab-project')).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByTestId('settings-tab-models')).toBeFocused();
  await page.keyboard.press('Shift+Tab');
  await expect(search).toBeFocused();
});

test('a search finds a setting by its key on any page, and Enter goes to its field', async ({ page, open }) => {
  await open('finished');
  await openSettings(page);
  const search = page.getByTestId('settings-search');
  await search.fill('raw_responses_days');
  await expect(page.getByTestId('settings-found').getByRole('listitem')).toHaveCount(1);
  await page.keyboard.press('Enter');
  await expect(dialogOf(page).getByRole('heading', { name: 'Storage', level: 3 })).toBeVisible();
  await expect(row(page, 'raw_responses_days').getByRole('spinbutton')).toBeFocused();
  await search.fill('temperature');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(row(page, 'of-models')).toBeFocused();
  // Esc empties the search before it closes the settings.
  await search.fill('nothing is called that');
  await expect(dialogOf(page)).toContainText('No setting has “nothing is called that”');
  await page.keyboard.press('Escape');
  await expect(search).toHaveValue('');
  await expect(dialogOf(page)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(dialogOf(page)).toHaveCount(0);
});

test('everything that the search can find is on its page', async ({ page, open }) => {
  await open('tightened');
  await openSettings(page);
  const search = page.getByTestId('settings-search');
  const results = page.getByTestId('settings-found').getByRole('button');
  for (const typed of ['o', 'i']) {
    await search.fill(typed);
    await expect(results.first()).toBeVisible();
    for (let at = 0, count = await results.count(); at < count; at += 1) {
      await search.fill(typed);
      await results.nth(at).click();
      await expect(search).toHaveValue('');
      await expect(page.locator('[data-place]:focus, [data-place] :focus').first()).toBeVisible();
    }
  }
});

test('a setting says where its value comes from, and what a person set can be reset', async ({ page, open }) => {
  await open('tightened');
  await openSettings(page);
  await turnTo(page, 'Limits');
  const source = (path: string) => row(page, path).getByTestId('source');
  await expect(source('limits.max_cycles')).toHaveText("This project's file sets 2, and that applies here.");
  await expect(source('limits.max_tools')).toContainText('Set by you. The default is 1.');
  await expect(source('limits.max_seconds')).toHaveText('Default');
  await expect(source('retry_s')).toHaveText(
    'Set by the environment variable ORION_RETRY_S, which overrides what is set here.',
  );
  await expect(row(page, 'retry_s').getByRole('spinbutton')).toBeDisabled();
  await row(page, 'limits.max_tools').getByRole('button', { name: 'Reset Tools' }).click();
  await expect(source('limits.max_tools')).toHaveText('Default');
  await expect(row(page, 'limits.max_tools').getByRole('spinbutton')).toHaveValue('1');
  await row(page, 'limits.max_output_tokens').getByRole('spinbutton').fill('1');
  await page.keyboard.press('Tab');
  await expect(row(page, 'limits.max_output_tokens').getByRole('spinbutton')).toHaveValue('256');
  await expect(source('limits.max_output_tokens')).toContainText('Set by you. The default is 32,768.');
  await row(page, 'limits.max_output_tokens').getByRole('spinbutton').fill('');
  await page.keyboard.press('Tab');
  await expect(source('limits.max_output_tokens')).toHaveText('Default');
});

test('the editor is shown and not set, since Orion starts it', async ({ page, open }) => {
  await open('finished');
  await openSettings(page);
  await turnTo(page, 'Appearance');
  await expect(row(page, 'editor')).toContainText('can only be set in /home/ada/.config/orion/config.toml');
  await expect(row(page, 'editor').locator('input')).toHaveCount(0);
});

test('what is set for one model is shown beside its name, and reset', async ({ page, open }) => {
  await open('finished');
  await openSettings(page);
  const of = dialogOf(page)
    .getByTestId('of-endpoint')
    .filter({ has: page.getByRole('heading', { name: 'ollama' }) });
  const model = of.getByRole('listitem').filter({ hasText: 'qwen3:8b' });
  await expect(model).toContainText('Nothing set');
  await model.getByText('qwen3:8b').click();
  await model.getByLabel('Temperature').fill('0.7');
  await page.keyboard.press('Tab');
  await model.getByLabel('Reasoning effort').selectOption('high');
  await expect(model).toContainText('temperature 0.7 · reasoning high');
  await model.getByLabel('Thinking').selectOption('Off');
  await expect(model).toContainText('temperature 0.7 · reasoning high · thinking off');
  await model.getByLabel('Thinking').selectOption('The endpoint decides');
  await of.getByRole('listitem').first().locator('summary').click();
  await of.getByRole('listitem').first().getByLabel('Takes images').selectOption('Yes');
  await expect(model.getByLabel('Takes images').locator('option:checked')).toHaveText('Yes (set for all models)');
  await model.getByLabel('Takes images').selectOption('No');
  await expect(model).toContainText('temperature 0.7 · reasoning high · takes no images');
  await model.getByLabel('Question', { exact: true }).fill('0.14');
  await page.keyboard.press('Tab');
  await expect(model).toContainText('A price counts once both the question and the answer have one.');
  await model.getByLabel('Answer', { exact: true }).fill('0.28');
  await page.keyboard.press('Tab');
  await expect(model).toContainText('$0.14 and $0.28 per million');
  await model.getByRole('button', { name: 'Reset qwen3:8b' }).click();
  await expect(model).toContainText('Nothing set');
  await of.getByLabel('Name of another model of ollama').fill('gemma3:12b');
  await page.keyboard.press('Enter');
  await expect(of.getByRole('listitem').filter({ hasText: 'gemma3:12b' })).toContainText('Nothing set');
});

test('how a model is spoken to is shown where its fields are, and what was learned is forgotten', async ({
  page,
  open,
}) => {
  await open('finished');
  await openSettings(page);
  const of = dialogOf(page)
    .getByTestId('of-endpoint')
    .filter({ has: page.getByRole('heading', { name: 'ollama' }) });
  const model = of.getByRole('listitem').filter({ hasText: 'qwen3:8b' });
  await expect(model.getByTestId('spoken')).toHaveCount(0);
  await model.getByText('qwen3:8b').click();
  const spoken = model.getByTestId('spoken');
  await expect(spoken).toContainText('Tool messages the server prints them where they belong');
  await expect(spoken).toContainText('It refuses stream_options');
  await spoken.getByRole('button', { name: 'Copy the command' }).click();
  await model.getByLabel('Results go as').selectOption('Messages of the user');
  await expect(model).toContainText('results as messages of the user');
  await spoken.getByTestId('forget-learned').click();
  await expect(spoken).not.toContainText('It refuses');
  await expect(spoken.getByTestId('forget-learned')).toHaveCount(0);
});

test('a favourite comes first, in the settings and where a model is chosen', async ({ page, open }) => {
  await open('tightened');
  await openSettings(page);
  const names = dialogOf(page).getByTestId('of-endpoint').first().locator('summary');
  await expect(names.nth(1)).toContainText('deepseek-reasoner');
  await dialogOf(page).getByRole('button', { name: 'deepseek-chat is a favourite' }).click();
  await expect(names.nth(1)).toContainText('deepseek-chat');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Model: deepseek-chat' }).click();
  const favourites = page.getByTestId('favourites').getByRole('button');
  await expect(favourites).toHaveText([/deepseek-chat/, /deepseek-reasoner/]);
  await favourites.nth(1).click();
  await expect(page.getByRole('button', { name: 'Model: deepseek-reasoner' })).toBeVisible();
});

test('an accepted finish reason is listed and revoked', async ({ page, open }) => {
  await open('tightened');
  await openSettings(page);
  await dialogOf(page).getByRole('button', { name: 'Revoke done' }).click();
  await expect(dialogOf(page).getByText('done', { exact: true })).toHaveCount(0);
});

test('where each key is kept is listed, and no key is', async ({ page, open }) => {
  await open('finished');
  await openSettings(page);
  await turnTo(page, 'Keys');
  const keys = page.getByTestId('api-keys');
  await expect(keys.getByRole('listitem')).toHaveText([/deepseek.*In this computer's keychain/, /ollama.*No key/]);
  await keys.getByRole('button', { name: 'Change deepseek' }).click();
  await expect(dialogOf(page).getByRole('heading', { name: 'Models', level: 3 })).toBeVisible();
});

test('what the file of a project tightens is listed beside what the person has', async ({ page, open }) => {
  await open('tightened');
  await openSettings(page);
  await turnTo(page, 'Project');
  const rows = page.getByTestId('tightened').locator('tbody tr');
  await expect(rows).toHaveText([
    /Mode of new turns\s*Plan\s*Act/,
    /Steps\s*2\s*5/,
    /Time of a turn\s*7,200\s*changes nothing\s*1,800/,
    /search_files\s*Ask, 2 seconds per call, secret\/\*\*: Deny/,
  ]);
  await expect(page.getByRole('region', { name: 'AGENTS.md as it is sent' })).toContainText('Run `cargo test`');
});

test('instructions of the person are kept when the field is left and when the settings close', async ({
  page,
  open,
}) => {
  await open('finished');
  await openSettings(page);
  await turnTo(page, 'Project');
  await dialogOf(page).getByLabel('For all projects').fill('Answer in Welsh.');
  await dialogOf(page).getByLabel('For foxes', { exact: true }).focus();
  await expect(dialogOf(page).getByText('Saved', { exact: true })).toBeVisible();
  await dialogOf(page).getByLabel('For foxes', { exact: true }).fill('Name the file first.');
  await page.keyboard.press('Escape');
  await openSettings(page);
  await turnTo(page, 'Project');
  await expect(dialogOf(page).getByLabel('For all projects')).toHaveValue('Answer in Welsh.');
  await expect(dialogOf(page).getByLabel('For foxes', { exact: true })).toHaveValue('Name the file first.');
  await dialogOf(page).getByLabel('For foxes', { exact: true }).fill('x'.repeat(16_385));
  await expect(dialogOf(page).getByRole('alert')).toHaveText('Too long by 1 B, so it is not saved.');
});

test('a tool has a time of its own, and all that is set for it is reset', async ({ page, open }) => {
  await open('finished');
  await openSettings(page);
  await turnTo(page, 'Permissions');
  const tools = page.getByTestId('tool-rules');
  await tools.getByLabel('Seconds that a call of search_files may take').fill('2.5');
  await page.keyboard.press('Tab');
  await expect(tools.getByLabel('Seconds that a call of search_files may take')).toHaveValue('2.5');
  await tools.getByRole('button', { name: 'Reset search_files' }).click();
  await expect(tools.getByText('secret/**')).toHaveCount(0);
  await expect(tools.getByLabel('Runs of search_files in a turn')).toHaveValue('');
});

test('variables and folders for commands are lists, kept when the field is left, and reset', async ({ page, open }) => {
  await open('finished');
  await openSettings(page);
  await page.getByTestId('settings-search').fill('commands.env');
  await page.keyboard.press('Enter');
  const names = row(page, 'commands.env');
  const field = names.getByRole('textbox', { name: 'Variables for commands' });
  await expect(field).toBeFocused();
  await expect(names.getByTestId('source')).toHaveText('Default');
  await page.keyboard.type('DATABASE_URL\n\n  NODE_OPTIONS \nDATABASE_URL');
  await page.keyboard.press('Tab');
  await expect(field).toHaveValue('DATABASE_URL\nNODE_OPTIONS');
  await expect(names.getByTestId('source')).toContainText('Set by you.');
  const many = Array.from({ length: 65 }, (_, at) => `V${at}`).join('\n');
  await field.fill(many);
  await expect(names.getByRole('alert')).toHaveText('The list is not saved: it has 65 lines, and 64 are the most.');
  await field.blur();
  await expect(field).toHaveValue(many);
  // Another setting is saved meanwhile: the list that is kept is the same, and what is typed stays.
  const folders = row(page, 'commands.read').getByRole('textbox', { name: 'Folders for commands' });
  await folders.fill('~/models');
  await folders.blur();
  await expect(row(page, 'commands.read').getByTestId('source')).toContainText('Set by you.');
  await expect(field).toHaveValue(many);
  await names.getByRole('button', { name: 'Reset Variables for commands' }).click();
  await expect(names.getByTestId('source')).toHaveText('Default');
  await expect(field).toHaveValue('');
  await folders.fill('~/data');
  await folders.blur();
  await expect(row(page, 'commands.read').getByTestId('source')).toContainText('Set by you.');
  await folders.fill('');
  await folders.blur();
  await expect(row(page, 'commands.read').getByTestId('source')).toHaveText('Default');
});

test('a list that is refused says why, and stays as it was typed', async ({ page, open }) => {
  await open('commands-refused');
  await openSettings(page);
  await turnTo(page, 'Permissions');
  const field = row(page, 'commands.read').getByRole('textbox');
  await field.fill('~/.ssh');
  await field.blur();
  await expect(page.getByText('keys and passwords are kept in ~/.ssh')).toBeVisible();
  await expect(field).toHaveValue('~/.ssh');
  await expect(row(page, 'commands.read').getByTestId('source')).toHaveText('Default');
});

test('the home of commands shows its size and is cleared once that is confirmed', async ({ page, open }) => {
  await open('finished');
  await openSettings(page);
  await turnTo(page, 'Permissions');
  const home = page.getByTestId('command-home');
  const clear = home.getByRole('button', { name: 'Clear the home of commands in foxes' });
  await expect(home).toContainText('2.3 GB');
  await clear.click();
  const asked = page.getByRole('alertdialog');
  await expect(asked).toContainText('2.3 GB are removed for good.');
  await asked.getByRole('button', { name: 'Cancel' }).click();
  await expect(home).toContainText('2.3 GB');
  await clear.press('Enter');
  await asked.getByRole('button', { name: 'Clear' }).press('Enter');
  await expect(home.getByRole('status')).toHaveText('Cleared');
  await expect(home).toContainText('0 B');
  await expect(clear).toBeFocused();
  await expect(clear).toHaveAttribute('aria-disabled', 'true');
});

test('a home that is in use is not cleared, and the reason is shown', async ({ page, open }) => {
  await open('commands-refused');
  await openSettings(page);
  await turnTo(page, 'Permissions');
  const home = page.getByTestId('command-home');
  await home.getByTestId('clear-home').click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Clear' }).click();
  await expect(page.getByText('A turn of this project is at work')).toBeVisible();
  await expect(home).toContainText('2.3 GB');
  await expect(home.getByRole('status')).toHaveText('');
});

test.describe('at 200 % zoom', () => {
  // What 1280×800 has left then.
  test.use({ viewport: { width: 640, height: 400 } });

  test('the pages become a menu, nothing scrolls sideways, and a setting can be reached and changed', async ({
    page,
    open,
  }) => {
    await open('tightened');
    await openSettings(page);
    await expect(page.getByTestId('settings-tab-models')).toBeHidden();
    for (const name of ['Limits', 'Permissions', 'Appearance', 'Keys', 'Storage', 'Project', 'Models']) {
      await turnTo(page, name);
      const wide = await dialogOf(page).evaluate(
        (dialog) =>
          [...dialog.querySelectorAll('*')].filter(
            (element) => element.matches('.body, .page') && element.scrollWidth > element.clientWidth,
          ).length,
      );
      expect([name, wide]).toEqual([name, 0]);
    }
    await page.getByTestId('settings-search').fill('max_cost');
    await page.keyboard.press('Enter');
    await expect(row(page, 'limits.max_cost_usd').getByRole('spinbutton')).toBeInViewport();
    await page.keyboard.type('0.5');
    await page.keyboard.press('Tab');
    await expect(row(page, 'limits.max_cost_usd').getByTestId('source')).toContainText('Set by you.');
  });
});

const page = (name: string) => ({
  scene: 'tightened',
  reach: async (page: Page) => {
    await openSettings(page);
    await turnTo(page, name);
  },
});

fits({
  'settings-models': {
    scene: 'tightened',
    reach: async (page) => {
      await openSettings(page);
      await dialogOf(page).getByTestId('of-endpoint').first().locator('summary').nth(2).click();
    },
  },
  'settings-limits': page('Limits'),
  'settings-permissions': page('Permissions'),
  'settings-commands': {
    scene: 'tightened',
    reach: async (page) => {
      await openSettings(page);
      await turnTo(page, 'Permissions');
      await row(page, 'commands.read')
        .getByRole('textbox')
        .fill('~/models\n/srv/fixtures/of/the/project/with/a/long/name');
      await row(page, 'command-home').scrollIntoViewIfNeeded();
    },
  },
  'settings-clear-home': {
    scene: 'tightened',
    reach: async (page) => {
      await openSettings(page);
      await turnTo(page, 'Permissions');
      await page.getByTestId('clear-home').click();
      await expect(page.getByRole('alertdialog')).toBeVisible();
    },
  },
  'settings-list-refused': {
    scene: 'commands-refused',
    reach: async (page) => {
      await openSettings(page);
      await turnTo(page, 'Permissions');
      await row(page, 'commands.env')
        .getByRole('textbox')
        .fill(Array.from({ length: 65 }, (_, at) => `V${at}`).join('\n'));
      await row(page, 'commands.read').getByRole('textbox').fill('~/.ssh');
      await page.keyboard.press('Tab');
      await expect(page.getByText('keys and passwords are kept in ~/.ssh')).toBeVisible();
    },
  },
  'settings-appearance': page('Appearance'),
  'settings-keys': page('Keys'),
  'settings-storage': page('Storage'),
  'settings-project': page('Project'),
  'settings-search': {
    scene: 'tightened',
    reach: async (page) => {
      await openSettings(page);
      await page.getByTestId('settings-search').fill('answer');
      await expect(page.getByTestId('settings-found')).toBeVisible();
    },
  },
});
