// The trace as a list, and the details of what is chosen.

import { inaccessible } from './accessible';
import { copyBy, expect, test } from './window';

test.use({ panel: true });

test('the list is used by keyboard alone: j and k, Enter to the details, and back', async ({ page, open }) => {
  await open('traced');
  await page.getByTestId('as-list').click();
  const list = page.getByTestId('trace-list');
  await list.focus();
  await expect(list).toBeFocused();
  const active = () => list.getAttribute('aria-activedescendant');
  await expect(list).toHaveAttribute('aria-activedescendant', /./);
  const first = await active();
  await page.keyboard.press('j');
  await expect.poll(active).not.toBe(first);
  await page.keyboard.press('k');
  await expect.poll(active).toBe(first);
  await page.keyboard.press('Enter');
  const inspector = page.getByTestId('inspector');
  await expect(inspector.getByRole('heading', { name: 'Turn', exact: true })).toBeFocused();
  await expect(inspector).toContainText('Outcome stopped');
  await inspector.getByRole('button', { name: 'Close the details' }).click();
  await expect(inspector).toHaveCount(0);
  await expect(list).toBeFocused();
});

test('the list is searched and filtered, and says how much of it is left', async ({ page, open }) => {
  await open('traced');
  await page.getByTestId('as-list').click();
  const rows = page.getByTestId('trace-row');
  await page.getByTestId('only-problems').check();
  await expect(rows).toHaveCount(2);
  await expect(rows.last()).toContainText('src/config.rs');
  await expect(page.getByText(/^2 entries of \d+$/)).toBeVisible();
  await page.getByTestId('only-problems').uncheck();
  await page.getByTestId('filter-tool').selectOption('search_files');
  await expect(rows).toHaveCount(1);
  await page.getByTestId('filter-tool').selectOption('');
  await page.getByTestId('trace-search').fill('no such words');
  await expect(rows).toHaveCount(0);
  await page.getByRole('button', { name: 'Show everything' }).click();
  await expect(page.getByTestId('trace-search')).toHaveValue('');
  await expect(rows.first()).toContainText('Turn');
});

test('a tool call shows its arguments as a table and its result with line numbers; a write its difference; a wait what was answered', async ({
  page,
  open,
}) => {
  await open('traced');
  const row = page.getByTestId('timeline-row');
  const inspector = page.getByTestId('inspector');
  await row.nth(1).click();
  await expect(inspector.getByRole('row', { name: 'path src/config.rs' })).toBeVisible();
  await expect(inspector.getByTestId('tool-result')).toContainText('pub fn load');
  await row.nth(5).click();
  await expect(inspector.getByTestId('changed-rows')).toBeVisible();
  await expect(inspector).toContainText('Waiting for you 4 min');
  await page.locator('[data-zone=head] [data-testid=timeline-bar][data-lane=waiting]').click();
  await expect(inspector).toContainText('Your answer allowed');
  await page.locator('[data-testid=timeline-mark][data-mark=retry]').click();
  await expect(inspector).toContainText('Code overloaded');
});

test('a model call says what it added and where it stopped being the call before, and JSON comes on demand', async ({
  page,
  open,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await open('traced');
  await page.getByTestId('longest').click();
  const inspector = page.getByTestId('inspector');
  await expect(inspector.getByTestId('differs')).toContainText('of the call before');
  await expect(inspector).toContainText('What this call added');
  await expect(inspector.getByTestId('sent-message').first()).toBeVisible();
  await expect(inspector.locator('pre[aria-label="JSON of the span"]')).toBeHidden();
  await inspector.getByText('JSON', { exact: true }).click();
  await expect(inspector.locator('pre[aria-label="JSON of the span"]')).toContainText('"kind": "model_call"');
  await copyBy(inspector.getByTestId('copy-json'));
  expect(JSON.parse(await page.evaluate(() => navigator.clipboard.readText()))).toMatchObject({ kind: 'model_call' });
  expect(await inaccessible(page)).toEqual([]);
});

test('P12: the first message that is not the one of the call before is named and shown', async ({ page, open }) => {
  await open('traced');
  await page.getByTestId('as-list').click();
  await page.getByTestId('filter-kind').selectOption('model_call');
  const calls = page.getByTestId('trace-row');
  await expect(calls).toHaveCount(7);
  await calls.nth(6).click();
  const inspector = page.getByTestId('inspector');
  await expect(inspector.getByTestId('differs')).toContainText(
    "is not the one of the call before, so a provider's cache holds only up to there",
  );
  const before = inspector.getByTestId('sent-message').first();
  await expect(before).toContainText('Send the content of the file now');
  await expect(before).toHaveAttribute('data-new', 'false');
  await page.getByTestId('trace-list').focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  await expect(inspector.getByTestId('differs')).toContainText('It begins with 1 message that the session gave it');
});

test('what came back is asked for when it is opened: every try, as text; of a call that succeeded nothing is kept', async ({
  page,
  open,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await open('traced');
  await page.getByTestId('longest').click();
  const inspector = page.getByTestId('inspector');
  const section = inspector.getByTestId('raw-response');
  await expect(section.locator('pre')).toHaveCount(0);
  await section.getByText('What came back').click();
  await expect(section.locator('pre')).toContainText('HTTP/1.1 503 Service Unavailable');
  await expect(section.locator('pre')).toContainText('data: [DONE]');
  await copyBy(section.getByTestId('copy-raw'));
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('retry-after: 2\n');
  expect(await inaccessible(page)).toEqual([]);
  await page.getByTestId('as-list').click();
  await page.locator('[data-testid=trace-row][data-kind=model_call]').first().click();
  await expect(section.locator('pre')).toHaveCount(0);
  await section.getByText('What came back').focus();
  await page.keyboard.press('Enter');
  await expect(section).toContainText('Nothing was kept');
});

test('J3: what came back is text, whatever it is and however large', async ({ page, open }) => {
  await open('traced-hostile');
  await page.getByTestId('as-list').click();
  await page.locator('[data-testid=trace-row][data-kind=model_call]').last().click();
  const section = page.getByTestId('inspector').getByTestId('raw-response');
  await section.getByText('What came back').click();
  await expect(section.locator('pre')).toHaveCount(2);
  await expect(section.locator('pre').first()).toContainText('<script>window.caught = true</script>');
  await expect(section.locator('pre').first()).toContainText('⟨U+202E⟩gnp.exe⟨U+0000⟩');
  await expect(section.getByTestId('raw-left-out')).toContainText('left out here');
  await expect(section).toContainText('more characters not shown here');
  expect(await page.evaluate(() => (window as { caught?: boolean }).caught)).toBeUndefined();
});

test('J3: hostile payloads are text: tags, ten megabytes, deep JSON, hidden and turning characters', async ({
  page,
  open,
}) => {
  await open('traced-hostile');
  const rows = page.getByTestId('timeline-row');
  await expect(rows).toHaveCount(2);
  await expect(rows.first()).toContainText('U+200B');
  await expect(rows.first()).toHaveAttribute('title', 'read_file src/⟨U+202E⟩gnp.exe⟨U+0000⟩⟨U+0007⟩⟨U+200B⟩.rs');
  const inspector = page.getByTestId('inspector');
  await rows.first().click();
  await expect(inspector.getByTestId('tool-result')).toContainText('<script>window.caught = true</script>');
  await expect(inspector).toContainText('more characters not shown here');
  await rows.last().click();
  await expect(inspector.getByRole('heading').first()).toContainText('<script>');
  await expect(inspector.getByTestId('error-card')).toContainText('<script>');
  await page.getByTestId('as-list').click();
  await expect(page.getByTestId('trace-row').first()).toBeVisible();
  await page.getByTestId('trace-search').fill('script');
  await expect(page.getByTestId('trace-row').first()).toContainText('<script>');
  expect(await page.evaluate(() => (window as { caught?: boolean }).caught)).toBeUndefined();
});
