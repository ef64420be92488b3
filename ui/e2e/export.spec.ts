import { test } from './kept';
import { expect } from './window';

test('a session is exported from its menu, with or without the contents of files', async ({ page, open }) => {
  await open('finished');
  const item = page.getByTestId('session-item').first();
  await item.hover();
  await item.getByRole('button', { name: /^Actions for/ }).click();
  await page.getByRole('menuitem', { name: 'Export…' }).click();
  const dialog = page.getByTestId('export-dialog');
  await expect(dialog.getByRole('radio', { name: /For another Orion/ })).toBeChecked();
  await dialog.getByTestId('export-files').check();
  await dialog.getByTestId('export-save').click();
  await expect(dialog.getByTestId('exported')).toContainText('Saved as /home/ada/session.orion, 41 KB.');
  await expect(dialog.getByTestId('exported')).toContainText('Keys were taken out of 1 turn');
  await dialog.getByRole('radio', { name: /Web page/ }).check();
  await expect(dialog.getByTestId('export-files')).toHaveCount(0);
  await dialog.getByTestId('export-save').click();
  await expect(dialog.getByTestId('exported')).toContainText('Saved as /home/ada/session.html');
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
});

test('an exported session is opened from the sidebar, and lands in a project without a folder', async ({
  page,
  open,
}) => {
  await open('finished');
  await page.getByTestId('open-export').click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('How are the dens laid out?');
  await expect(page.getByTestId('read-only')).toBeVisible();
  const imported = page.getByRole('group', { name: 'Imported', exact: true });
  await expect(imported.getByTestId('session-item')).toHaveCount(1);
  await imported.getByRole('button', { name: 'Actions for Imported' }).click();
  await expect(page.getByRole('menuitem')).toHaveText(['Figures', 'Remove from Orion']);
});

test('an imported session is read and replayed, and offers nothing that would go on', async ({ page, open }) => {
  await open('imported');
  await expect(page.getByTestId('read-only')).toHaveText(
    'Opened from a file. This session can be read and replayed here, but not continued.',
  );
  await expect(page.getByTestId('composer')).toBeHidden();
  await expect(page.getByTestId('phase-bar')).toBeHidden();
  await expect(page.getByRole('button', { name: 'Actions for the message' })).toHaveCount(0);
  await page.keyboard.press('Control+j');
  await page.getByTestId('replay').getByRole('button').click();
  await expect(page.getByTestId('replay')).toContainText('are the same as when the turn ran');
  await page.keyboard.press('Control+K');
  await page.getByRole('combobox', { name: 'Go to anything' }).fill('compact');
  await expect(page.getByText('Sum up the conversation')).toHaveCount(0);
});
