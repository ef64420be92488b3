// The checks of a turn below its answer (V3).

import { expect, test } from './window';

test('checks that failed are named, open to what they wrote, and can be sent to the model', async ({ page, open }) => {
  await open('checks-failed');
  const line = page.getByTestId('checks-line');
  await expect(line).toHaveText('Checks failed: cargo-test · 1 of 2 · 11 s');
  await line.click();
  const check = page.getByTestId('check').first();
  await expect(check).toContainText('failed · exit code 101 · failed before this turn as well · 9 s');
  await expect(check).toContainText('test fox::is_patient ... FAILED');
  await page.getByTestId('checks-fix').click();
  // R1: it is seen before it is sent.
  await expect(page.getByTestId('composer')).toHaveValue(/^These checks failed\./);
});

test('a repair stands between the two times that the checks ran', async ({ page, open }) => {
  await open('checks-repaired');
  await expect(page.getByTestId('checks-line')).toHaveText([
    'Checks failed: cargo-test · 0 of 1 · 9 s',
    'Checks passed · 1 of 1 · 12 s',
  ]);
  await expect(page.getByTestId('write-box')).toHaveCount(2);
});

test('a check that runs shows its command and its output, and stops the checks', async ({ page, open }) => {
  await open('checks-running');
  await expect(page.getByTestId('checks-line')).toContainText('Checking · cargo test --workspace · ');
  await page.getByTestId('checks-line').click();
  await expect(page.getByTestId('check')).toContainText('test fox::jumps ... ok');
  await expect(page.getByTestId('checks-stop')).toBeEnabled();
});
