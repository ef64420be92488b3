// Compaction (X4): asked for in the composer, the palette and on a card; read, edited and undone where it happened.

import { test } from './kept';
import { expect, words } from './window';

test('X4: /compact sums the conversation up, and is completed as it is written', async ({ page, open }) => {
  await open('finished', 0.2);
  const composer = page.getByTestId('composer');
  await composer.pressSequentially('/com');
  await expect(page.getByRole('option')).toHaveText(['/compact Sum up the conversation to make room']);
  await composer.press('Tab');
  await expect(composer).toHaveValue('/compact');
  await composer.press('Enter');
  await expect(composer).toHaveValue('');
  await expect(page.getByTestId('slash')).toHaveCount(0);
  await expect(words(page)).toHaveText('Compacted');
  const turn = page.getByRole('article', { name: 'Compaction' });
  await expect(turn.getByTestId('entry-toggle')).toHaveText('12 turns summed up: about 23,400 tokens became 910.');
  await expect(turn.getByTestId('answer'), 'the summary is in the entry').toHaveCount(0);
  await expect(page.getByTestId('session-item').first()).toContainText('summarized');
});

test('a slash that begins no command is a message, and Escape closes the list', async ({ page, open }) => {
  await open('finished', 0.2);
  const composer = page.getByTestId('composer');
  await composer.fill('/co');
  await expect(page.getByTestId('slash')).toBeVisible();
  await composer.press('Escape');
  await expect(page.getByTestId('slash')).toHaveCount(0);
  await composer.fill('/usr/bin is what?');
  await expect(page.getByTestId('slash')).toHaveCount(0);
  await composer.press('Enter');
  await expect(page.getByRole('article', { name: 'Message: /usr/bin is what?' })).toBeVisible();
});

test('X4: the entry is read, edited and undone', async ({ page, open }) => {
  await open('compacted', 0.2);
  const entry = page.getByTestId('entry');
  await entry.getByTestId('entry-toggle').click();
  await expect(entry.getByTestId('entry-summary')).toContainText('which layer a value comes from');
  await entry.getByText('4 things done, as recorded').click();
  await expect(entry.getByTestId('fact')).toHaveText([
    'list_files src',
    'read_file src/config.rs',
    'you allowed write_plan_begin src/config.rs: 12 lines added, 3 removed',
    'edit src/config.rs written, without change 2',
  ]);
  await entry.getByTestId('entry-edit').click();
  await entry.getByTestId('entry-draft').fill('Only the **tests** are left.');
  await entry.getByTestId('entry-save').click();
  await expect(entry.getByTestId('entry-summary')).toHaveText('Only the tests are left.');
  await entry.getByTestId('entry-undo').click();
  await expect(entry.getByTestId('entry-toggle')).toContainText('Undone.');
  await expect(entry.getByTestId('entry-undo')).toHaveCount(0);
});

test('X4: the card for a context that is too long offers to make room', async ({ page, open }) => {
  await open('too-long', 0.2);
  const card = page.getByTestId('error-card');
  await expect(card.getByRole('button')).toHaveText([
    'Sum up the conversation',
    'Leave out the older half, and retry',
    'New chat',
    'Retry',
  ]);
  await card.getByTestId('make-room').click();
  await expect(words(page)).toHaveText('Compacted');
});

test('the palette compacts as well', async ({ page, open }) => {
  await open('finished', 0.2);
  await expect(words(page)).toHaveText('Answered');
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder('Go to a session').fill('sum up');
  await page.getByRole('option', { name: /Sum up the conversation/ }).click();
  await expect(page.getByTestId('entry')).toBeVisible();
});

test('X4: a compaction that came to nothing says so, and is tried again', async ({ page, open }) => {
  await open('not-compacted', 0.2);
  await expect(page.getByText('The conversation was not compacted: it is as it was.')).toBeVisible();
  await page.getByRole('button', { name: 'Retry' }).click();
  await expect(page.getByTestId('entry')).toBeVisible();
});

test('X3: where a conversation is too long it can be cut without a summary, and the message is sent again', async ({
  page,
  open,
}) => {
  await open('too-long', 0.2);
  await page.getByTestId('cut-and-retry').click();
  await expect(words(page)).toHaveText('Answered');
});
