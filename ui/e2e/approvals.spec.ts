// The question about a call, its answers, and the approvals that are kept (A1, A3, A6).

import { test } from './kept';
import { expect, turnTo, unfold, words } from './window';

const question = 'Search files now?';

test('A1: what would be kept is shown as a rule before it is kept', async ({ page, open }) => {
  await open('approval', 0.2);
  const card = page.getByRole('group', { name: question });
  await card.getByTestId('more-answers').click();
  await expect(page.getByTestId('keep')).toContainText('Allow from now on search_files .');
  await page.getByRole('button', { name: 'Always in this project' }).click();
  await expect(words(page)).toHaveText('Answered');
  await page.getByRole('button', { name: 'Settings' }).click();
  await turnTo(page, 'Permissions');
  const kept = page.getByTestId('approvals');
  await expect(kept.getByRole('listitem')).toHaveCount(3);
  await expect(kept).toContainText('search_files .');
});

test('A1: a question that the settings ask says so and offers nothing to keep', async ({ page, open }) => {
  await open('approval-rule', 0.2);
  const card = page.getByTestId('approval');
  await expect(card).toContainText('Your settings ask about this.');
  await card.getByTestId('more-answers').click();
  await expect(page.getByTestId('keep')).toHaveCount(0);
  await expect(page.getByTestId('reject-why')).toBeDisabled();
});

test('A1: a call that the model wrote as text says so before anything else, and nothing of it is kept', async ({
  page,
  open,
}) => {
  await open('approval-leaked', 0.2);
  const card = page.getByRole('group', { name: 'Begin to write a file now?' });
  await expect(card).toContainText(
    'written as text The model put it into its text. It may have been meant for you to read.',
  );
  await expect(card.getByTestId('keep')).toHaveCount(0);
  await card.getByTestId('refuse').click();
  const box = page.getByTestId('tool-box');
  await expect(box).toHaveAttribute('data-status', 'refused');
  await expect(box.getByTestId('as-text')).toHaveText('written as text');
  await expect(words(page)).toHaveText('Answered');
  // A3: allowed, it begins the write, which is asked about by itself.
  await open('approval-leaked', 0.2);
  await page.getByTestId('approve').click();
  await expect(words(page)).toHaveText('Waiting for your approval');
  await expect(page.getByTestId('write-approve')).toBeVisible();
});

test('P9: a call that was read as it was meant shows, when opened, what the model wrote', async ({ page, open }) => {
  await open('read-as-meant', 0.2);
  await unfold(page);
  const box = page.getByTestId('tool-box');
  await expect(box.getByTestId('as-text')).toBeVisible();
  await box.getByTestId('tool-box-toggle').click();
  await expect(box.getByRole('row', { name: 'path src/config.rs' })).toBeVisible();
  const made = box.getByTestId('made');
  await expect(made.getByText('readFile {"file_path":"src/config.rs"}')).toBeHidden();
  await made.getByText('As the model wrote it').click();
  await expect(made.getByText('readFile {"file_path":"src/config.rs"}')).toBeVisible();
});

test('the argument that matters comes first, and what the tool takes anyway is folded', async ({ page, open }) => {
  await open('approval', 0.2);
  const card = page.getByTestId('approval');
  await expect(card.getByRole('row').first()).toHaveText('patternConfig::|load\\(');
  await expect(card.getByText('max_results')).toBeHidden();
  await card.getByText('1 default').click();
  await expect(card.getByRole('row', { name: 'max_results 100' })).toBeVisible();
});

test('A3: a person changes the arguments, is told what is wrong with them, and sees both afterwards', async ({
  page,
  open,
}) => {
  await open('approval', 0.2);
  const card = page.getByTestId('approval');
  await card.getByTestId('more-answers').click();
  await page.getByTestId('edit').click();
  await card.getByLabel('max_results').fill('many');
  await expect(card.getByRole('alert')).toHaveText('max_results: write a number, true or false, or JSON.');
  await expect(card.getByTestId('run-edited')).toBeDisabled();
  await card.getByLabel('max_results').fill('5');
  await card.getByLabel('glob').fill('tests/**');
  await expect(card.getByTestId('run-edited')).toBeEnabled();
  await page.keyboard.press('Enter');
  await expect(words(page)).toHaveText('Answered');
  await unfold(page);
  const box = page.getByTestId('tool-box');
  await box.getByTestId('tool-box-toggle').click();
  await expect(box.getByRole('row', { name: 'glob tests/**' })).toBeVisible();
  await expect(box.getByTestId('proposed')).toBeVisible();
  await expect(box.getByRole('row', { name: 'glob src/**/*.rs' })).toBeVisible();
});

test('A6: a rejection with a reason, and one that stops the turn', async ({ page, open }) => {
  await open('approval', 0.2);
  await page.getByTestId('more-answers').click();
  await page.getByTestId('reason').fill('Look at the tests instead.');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('tool-box')).toHaveAttribute('data-status', 'refused');
  await expect(words(page)).toHaveText('Answered');
  await open('approval', 0.2);
  await page.getByTestId('more-answers').click();
  await page.getByTestId('reject-stop').click();
  await expect(words(page)).toHaveText('Stopped');
});

test('A1: a write can be allowed from now on, or rejected with a reason', async ({ page, open }) => {
  await open('write-ready', 0.2);
  const more = page.getByRole('dialog', { name: 'More' });
  await expect(page.getByTestId('keep')).toHaveCount(0);
  await page.getByTestId('more-answers').click();
  await expect(more.getByTestId('keep')).toContainText('write_plan_begin src/fox.rs');
  await more.getByTestId('reason').fill('Too much.');
  await page.keyboard.press('Enter');
  await expect(more).toHaveCount(0);
});

test('A1: the approvals that are kept are listed with their last use and revoked', async ({ page, open }) => {
  await open('finished');
  await page.getByRole('button', { name: 'Settings' }).click();
  await turnTo(page, 'Permissions');
  const kept = page.getByTestId('approvals');
  await expect(kept.getByRole('listitem').first()).toContainText('write_plan_begin docs/guide.md');
  await expect(kept.getByRole('listitem').last()).toContainText('never used');
  await kept.getByRole('button', { name: 'Revoke write_plan_begin docs/guide.md' }).click();
  await expect(kept.getByRole('listitem')).toHaveCount(1);
});

test('A1: rules for a tool are set, changed and removed in the settings', async ({ page, open }) => {
  await open('finished');
  await page.getByRole('button', { name: 'Settings' }).click();
  await turnTo(page, 'Permissions');
  const tools = page.getByTestId('tool-rules');
  await expect(tools.getByLabel('Runs of search_files in a turn')).toHaveValue('4');
  await tools.getByLabel('What search_files may do', { exact: true }).selectOption('allow');
  await tools.getByLabel('Pattern of a new rule of search_files').fill('docs/**');
  await page.keyboard.press('Enter');
  await expect(tools.getByText('docs/**')).toBeVisible();
  await tools.getByLabel('What search_files docs/** may do').selectOption('allow');
  await tools.getByRole('button', { name: 'Remove the rule secret/** of search_files' }).click();
  await expect(tools.getByText('secret/**')).toHaveCount(0);
  await expect(tools.getByLabel('What search_files docs/** may do')).toHaveValue('allow');
  await expect(tools.getByLabel('What search_files may do', { exact: true })).toHaveValue('allow');
});
