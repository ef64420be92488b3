// A file whose content only repeats itself (P11): the person sees what is repeated, and chooses what becomes of it.

import { test } from './kept';
import { expect, words } from './window';

test('P11: the repeats are folded, and nothing goes on before the person has chosen', async ({ page, open }) => {
  await open('write-repeats', 0.2);
  await expect(words(page)).toHaveText('Waiting for your choice');
  await expect(page.getByTestId('repeats-card')).toContainText(
    'src/style.css only repeats itself: the same 196 times in a row. Is that intended?',
  );
  await expect(page.getByRole('region', { name: 'What is repeated' })).toHaveText('  background-color: #fff;');
  await expect(page.getByTestId('write-box')).toContainText('the same 196 times in a row');
  await page.getByTestId('review').click();
  const content = page.getByTestId('repeated-content');
  await expect(content.locator('p', { hasText: 'background-color' })).toHaveCount(1);
  await content.getByTestId('repeats').click();
  await expect(content.locator('p', { hasText: 'background-color' })).toHaveCount(196);
  await expect(words(page)).toHaveText('Waiting for your choice');
});

test('P11: one of the repeats is kept, and what there is then is looked at', async ({ page, open }) => {
  await open('write-repeats', 0.2);
  await page.getByTestId('repeats-keep_one').click();
  await expect(words(page)).toHaveText('Waiting for your approval');
  await expect(page.locator('[data-testid=row][data-kind=added]')).toHaveText([/body \{/, /background-color: #fff;/]);
  await expect(page.getByTestId('repeats-card')).toHaveCount(0);
  await expect(page.getByTestId('composer')).toBeFocused();
});

test('W4: a file that may repeat itself is gone on with', async ({ page, open }) => {
  await open('write-repeats', 0.2);
  await page.getByTestId('repeats-go_on').click();
  await expect(words(page)).toHaveText('Writing src/style.css');
  await expect(page.getByTestId('repeats-card')).toHaveCount(0);
  await expect(page.getByTestId('figure')).toHaveText('· 237 lines');
});

test('P11: what is discarded is not written, and the turn goes on', async ({ page, open }) => {
  await open('write-repeats', 0.2);
  await page.getByTestId('repeats-discard').click();
  await expect(words(page)).toHaveText('Not written');
  await expect(page.getByTestId('write-box')).toHaveAttribute('data-stage', 'discarded');
  await expect(page.getByTestId('error-card')).toContainText('the user discarded it');
});
