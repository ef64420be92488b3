import { test } from './kept';
import { ask, expect } from './window';

test('X2: a meter says how full the room is, and opened, of what', async ({ page, open }) => {
  await open('finished');
  const meter = page.getByTestId('context-meter');
  await expect(meter).toHaveText(/^\d+ %$/);
  await meter.click();
  const view = page.getByRole('dialog', { name: 'Context' });
  await expect(view).toContainText('Its window has 65,536 tokens. 8,192 of them are for the answer.');
  const parts = view.getByTestId('context-part');
  await expect(parts).toHaveText([
    /^Orion's own words 423/,
    /^AGENTS\.md 203/,
    /^5 tools 1,301/,
    /^How does the config loader work\?/,
  ]);
  await expect(view.getByTestId('context-box')).toHaveCount(0);
  await parts.last().getByRole('button', { expanded: false }).click();
  await expect(view.getByTestId('context-box')).toHaveText([/^list_files \./, /^read_file src\/config\.rs/]);
  await expect(view.getByTestId('context-spent')).toHaveText(
    'This session has used 15,168 tokens so far, for $0.0042.',
  );
});

test('X2: the meter follows the turns of the session', async ({ page, open }) => {
  await open('finished');
  const meter = page.getByTestId('context-meter');
  const before = await meter.getAttribute('aria-label');
  await ask(page, 'And the flags?');
  await expect(meter).not.toHaveAttribute('aria-label', before ?? '');
  await page.keyboard.press('Control+n');
  await expect(meter).toHaveCount(0);
});

test('X3: what a smaller model would cut is said before the message is sent', async ({ page, open }) => {
  await open('finished');
  await expect(page.getByTestId('context-meter')).toBeVisible();
  await expect(page.getByTestId('would-cut')).toHaveCount(0);
  await page.getByRole('button', { name: /^Model: / }).click();
  await page.getByRole('combobox', { name: 'Endpoint' }).selectOption('ollama');
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('would-cut')).toHaveText(
    'To fit qwen3:8b, the next message leaves out 2 of 2 results.',
  );
});

test('X3: a result is taken out or pinned before the next message, also after a restart', async ({ page, open }) => {
  await open('finished');
  const meter = page.getByTestId('context-meter');
  const unfold = async () => {
    await meter.click();
    await page
      .getByTestId('context-part')
      .filter({ hasText: 'How does' })
      .getByRole('button', { expanded: false })
      .click();
  };
  await unfold();
  await page.getByRole('button', { name: 'Take out with the next message: read_file src/config.rs' }).click();
  await page.getByRole('button', { name: /^Pin, .*list_files/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Context' });
  await expect(dialog).toContainText('With your next message: 1 part taken out, 1 pin changed.');
  await open('finished');
  await unfold();
  await expect(dialog).toContainText('With your next message: 1 part taken out, 1 pin changed.');
  await page.getByRole('button', { name: 'Keep: read_file src/config.rs' }).click();
  await expect(dialog).toContainText('With your next message: 1 pin changed.');
  await page.keyboard.press('Escape');
  await ask(page, 'And the flags?');
  await meter.click();
  await expect(dialog).not.toContainText('With your next message');
});
