// The checks of a turn below its answer (V3).

import { test } from './kept';
import { expect } from './window';

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
  // V2: told once, below the second time.
  await expect(page.getByTestId('repair')).toHaveText(
    'Repair · cargo-test failed · changed src/fox.rs · now the checks pass',
  );
  // What was repaired is asked for no more.
  await expect(page.getByTestId('checks-fix')).toHaveCount(0);
});

test('V1: checks that failed are run again, and that time stands below the first', async ({ page, open }) => {
  await open('checks-failed');
  await page.getByTestId('checks-again').click();
  await expect(page.getByTestId('checks-line')).toHaveText([
    'Checks failed: cargo-test · 1 of 2 · 11 s',
    'Run again: Checks passed · 2 of 2 · 0 s',
  ]);
  await page.getByTestId('checks-line').last().click();
  await expect(page.getByTestId('check').first()).toContainText('test it_adds ... ok');
  await expect(page.getByTestId('repair')).toHaveCount(0);
});

test('checks that passed are run again only by somebody who looks, and name the files that they changed', async ({
  page,
  open,
}) => {
  await open('checks-passed');
  await expect(page.getByTestId('checks-again')).toHaveCount(0);
  await page.getByTestId('checks-line').click();
  await expect(page.getByTestId('checks-again')).toHaveText('Run again');
  await expect(page.getByTestId('check').last().getByTestId('command-changed')).toContainText('src/lint.css');
});

test('V1: where no sandbox holds them, the person runs the checks', async ({ page, open }) => {
  await open('checks-unheld');
  await expect(page.getByTestId('checks-line')).toHaveText('Checks skipped: cargo-test · no sandbox holds it');
  await expect(page.getByTestId('checks-again')).toHaveAttribute('title', /the rights that you have/);
  await page.getByTestId('checks-again').click();
  await expect(page.getByTestId('checks-line').last()).toHaveText('Run again: Checks passed · 1 of 1 · 0 s');
});

test('V1: of a script that changed, old and new stand below the answer, and are accepted there', async ({
  page,
  open,
}) => {
  await open('checks-skipped');
  await expect(page.getByTestId('check-changed')).toHaveCount(0);
  await page.getByTestId('checks-scripts').click();
  await expect(page.getByTestId('check-changed')).toContainText('run --package anything');
  await page.getByTestId('check-accept').click();
  await expect(page.getByTestId('check-changed')).toHaveCount(0);
  await expect(
    page.getByRole('status').filter({ hasText: 'The script of cargo-test is the accepted one' }),
  ).toBeVisible();
});

test('a check that is removed below the answer is told as removed, and not as accepted', async ({ page, open }) => {
  await open('checks-skipped');
  await page.getByTestId('checks-scripts').click();
  await page.getByTestId('check-changed').getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByTestId('check-changed')).toHaveCount(0);
  await expect(page.getByText('No longer a check of this project: cargo-test')).toBeVisible();
  await expect(page.getByText('is the accepted one')).toHaveCount(0);
});

test('checks of which none is set any more are told as such when they are run again', async ({ page, open }) => {
  await open('checks-gone');
  await page.getByTestId('checks-again').click();
  await expect(page.getByTestId('checks-none-set')).toHaveText(
    'None of these checks is set in this project any more, so none ran.',
  );
  await expect(page.getByTestId('checks-line')).toHaveCount(1);
});

test('a check that runs shows its command and its output, and stops the checks', async ({ page, open }) => {
  await open('checks-running');
  await expect(page.getByTestId('checks-line')).toContainText('Checking · cargo test --workspace · ');
  await page.getByTestId('checks-line').click();
  await expect(page.getByTestId('check')).toContainText('test fox::jumps ... ok');
  await expect(page.getByTestId('checks-stop')).toBeEnabled();
});
