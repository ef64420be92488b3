import { copyBy, expect, test } from './window';

test.use({ panel: true });

test('what a model was sent is read from its row in the trace, the new messages first', async ({ page, open }) => {
  await open('finished');
  await page.getByTestId('as-list').click();
  const rows = page.locator('[data-testid=trace-row][data-kind=model_call]');
  await rows.nth(1).click();
  const inspector = page.getByTestId('inspector');
  await expect(inspector).toContainText('Tokens sent 2,040');
  await expect(inspector).toContainText('It begins with all 2 messages of the call before, ');
  await expect(inspector).toContainText('list_files, read_file, search_files');
  await inspector.getByTestId('sent').click();
  const dialog = page.getByTestId('sent-dialog');
  await expect(dialog).toContainText('Call 2 of 3');
  const messages = dialog.getByTestId('sent-message');
  await expect(messages).toHaveCount(2);
  await expect(messages.first()).toHaveAttribute('data-role', 'assistant');
  await expect(messages.last()).toContainText('Result of call call-1: list_files');
  await dialog.getByTestId('sent-all').click();
  await expect(messages).toHaveCount(4);
  await expect(messages.first()).toHaveAttribute('data-role', 'system');
  await expect(messages.first()).not.toContainText('How to work');
  await messages.first().getByRole('button').click();
  await expect(messages.first()).toContainText('How to work');

  await dialog.getByRole('button', { name: 'Next call' }).click();
  await expect(dialog).toContainText('Call 3 of 3');
  await expect(dialog.getByRole('button', { name: 'Next call' })).toBeDisabled();
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
});

test('the body of the request is read as JSON, and copied as it was sent', async ({ page, open, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await open('finished');
  await page.getByTestId('as-list').click();
  const rows = page.locator('[data-testid=trace-row][data-kind=model_call]');
  await rows.nth(1).click();
  await page.getByTestId('inspector').getByTestId('sent').click();
  const dialog = page.getByTestId('sent-dialog');
  await dialog.getByTestId('sent-json').click();
  await expect(dialog.getByTestId('sent-message')).toHaveCount(0);
  await expect(dialog.getByTestId('sent-body')).toContainText('"model": "deepseek-chat",');
  await copyBy(dialog.getByTestId('sent-copy'));
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(JSON.parse(copied)).toMatchObject({ model: 'deepseek-chat', stream: true });
  expect(copied).not.toContain('\n');
  expect(JSON.parse(copied).messages).toHaveLength(4);
  await dialog.getByRole('button', { name: 'Next call' }).click();
  await expect(dialog.getByTestId('sent-body')).toContainText('call-2');
  await dialog.getByTestId('sent-json').click();
  await expect(dialog.getByTestId('sent-message')).not.toHaveCount(0);
});
