// Files and folders that a message names with `@`: completed while they are typed, looked up before the message is sent, and shown as
// closed boxes under it (R4).

import { inaccessible } from './accessible';
import { test } from './kept';
import { expect, send, words } from './window';

test('`@` completes a file by its path, with the keys alone', async ({ page, open }) => {
  await open('naming');
  const field = page.getByTestId('composer');
  await field.pressSequentially('Look at @conf');
  const list = page.getByRole('listbox', { name: 'Files and folders' });
  await expect(list.getByRole('option')).toHaveCount(2);
  await expect(list.getByRole('option').first()).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('ArrowDown');
  await expect(list.getByRole('option', { name: 'tests/config.rs' })).toHaveAttribute('aria-selected', 'true');
  const chosen = await field.getAttribute('aria-activedescendant');
  await expect(page.locator(`[id="${chosen}"]`)).toHaveText(/config\.rs.*3\.4 KB/);
  await page.keyboard.press('Enter');
  await expect(field).toHaveValue('Look at @tests/config.rs ');
  await expect(list).toHaveCount(0);
  await expect(field).toBeFocused();
});

test('`@` completes by mouse, a folder is typed on, and Escape leaves the text alone', async ({ page, open }) => {
  await open('naming');
  const field = page.getByTestId('composer');
  await field.pressSequentially('@do');
  await page.getByRole('option', { name: 'docs', exact: true }).click();
  await expect(field).toHaveValue('@docs/');
  await page.getByRole('option', { name: 'docs/guide.md' }).click();
  await expect(field).toHaveValue('@docs/guide.md ');
  await field.pressSequentially('and @src');
  await expect(page.getByTestId('at-list')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('at-list')).toHaveCount(0);
  await field.pressSequentially('/f');
  await expect(page.getByTestId('at-list')).toHaveCount(0);
  await expect(field).toHaveValue('@docs/guide.md and @src/f');
});

test('Enter before the list has come takes what it begins with, and sends nothing', async ({ page, open }) => {
  await open('naming', 1, 600);
  const field = page.getByTestId('composer');
  await field.pressSequentially('Read @fox');
  await page.keyboard.press('Enter');
  await expect(field).toHaveValue('Read @src/fox.rs ');
  await expect(page.getByTestId('asked')).toHaveCount(0);
});

test('Enter sends a name that is there as it stands, and one that is nowhere', async ({ page, open }) => {
  await open('naming', 0.1);
  await send(page, 'Explain @src/config.rs');
  await expect(page.getByTestId('asked')).toHaveText('Explain @src/config.rs');
  await expect(words(page)).toHaveText('Answered');
  await send(page, 'Thanks @nobody');
  await expect(page.getByTestId('asked').last()).toHaveText('Thanks @nobody');
});

test('what comes with a message is told before it is sent, and why something does not', async ({ page, open }) => {
  await open('naming');
  await page.getByTestId('composer').fill('Compare @src/config.rs:10-20 with @../other.rs, @docs and @nobody');
  const named = page.getByTestId('named-files').getByRole('listitem');
  await expect(named).toHaveText([
    /src\/config\.rs:10-20\s*7\.2 KB/,
    /\.\.\/other\.rs\s*not attached: `\.\.\/other\.rs` is outside/,
    /docs\/\s*a list of its contents/,
    /nobody\s*no such file, so this stays plain text/,
  ]);
  await page.getByTestId('composer').fill('Nothing is named.');
  await expect(page.getByTestId('named-files')).toHaveCount(0);
});

test('R4: what came with a message is under it, closed, and opens to what the model was given', async ({
  page,
  open,
}) => {
  await open('naming', 0.1);
  await send(page, 'Explain @src/config.rs and @docs and @../other.rs');
  await expect(words(page)).toHaveText('Answered');
  const files = page.getByTestId('attached').getByRole('listitem');
  await expect(files).toHaveText([/src\/config\.rs\s*32 lines/, /docs\/\s*12 entries/, /outside of the project/]);
  await expect(page.getByText('Configuration, from three sources')).toHaveCount(0);
  await files.first().getByRole('button').press('Enter');
  await expect(page.getByText('Configuration, from three sources')).toBeVisible();
  await expect(files.nth(2).getByRole('button')).toBeDisabled();
});

for (const scheme of ['light', 'dark'] as const) {
  test(`the list and the boxes are accessible and fit a small window, ${scheme}`, async ({ page, open }) => {
    await page.setViewportSize({ width: 800, height: 600 });
    await page.emulateMedia({ colorScheme: scheme });
    await open('naming', 0.1);
    await send(page, 'Explain @src/config.rs');
    await expect(words(page)).toHaveText('Answered');
    await page.getByTestId('composer').pressSequentially('See @README.md and @s');
    await expect(page.getByTestId('at-list')).toBeVisible();
    await expect(page.getByTestId('named-files')).toBeVisible();
    expect(await inaccessible(page)).toEqual([]);
    const box = await page.getByTestId('at-list').boundingBox();
    expect(box!.x >= 0 && box!.x + box!.width <= 800 && box!.y >= 0).toBe(true);
    if (process.env['ORION_PICTURES'])
      await page.screenshot({ path: `${process.env['ORION_PICTURES']}/naming-${scheme}.png` });
  });
}
