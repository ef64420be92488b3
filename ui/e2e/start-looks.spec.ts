// The way to the first answer, and writing a message, in both themes and at both sizes.

import type { Page } from '@playwright/test';
import { fits, type Reach } from './looks';
import { expect } from './window';

const part = (page: Page, name: string) =>
  expect(page.locator(`[data-testid=tour][data-part=${name}][data-there=true]`)).toBeVisible();

/** Goes through the tour as far as this part. */
const toured =
  (last: string): Reach =>
  async (page) => {
    await page.getByTestId('take-tour').click();
    for (const name of ['ask', 'step', 'limit', 'preview', 'answer', 'trace']) {
      await part(page, name);
      if (name === last) return;
      if (name === 'preview') {
        await expect(page.getByTestId('state')).toHaveText(/^Waiting/);
        // There is something to approve once its difference is there.
        await expect(page.getByRole('button', { name: /^Approve/ })).toBeEnabled();
        await page.keyboard.press('Control+Enter');
      } else await page.getByTestId('tour-next').press('Enter');
    }
  };

const STATES: Record<string, { scene: string; reach: Reach }> = {
  'welcome-first': { scene: 'welcome', reach: (page) => expect(page.getByText('answers here')).toBeVisible() },
  'connect-known': {
    scene: 'welcome',
    reach: async (page) => {
      await page.getByRole('button', { name: /^Ollama/ }).click();
      await expect(page.getByTestId('model-name')).toHaveValue('qwen3:8b');
    },
  },
  'connect-unlisted': {
    scene: 'no-model',
    reach: async (page) => {
      await page.getByTestId('connect-model').click();
      await page.getByRole('button', { name: /^Ollama/ }).click();
      await expect(page.getByTestId('model-name')).toHaveValue('qwen3:8b');
      await page.getByTestId('model-name').fill('gemma3');
      await page.getByTestId('save-endpoint').click();
      await expect(page.getByTestId('unlisted')).toBeVisible();
    },
  },
  'connect-refused': {
    scene: 'no-model',
    reach: async (page) => {
      await page.getByTestId('connect-model').click();
      await page.getByTestId('base-url').fill('https://models.example/v1');
      await page.getByTestId('model-name').fill('m');
      await page.getByTestId('save-endpoint').click();
      await page.getByTestId('save-endpoint').scrollIntoViewIfNeeded();
      await expect(page.getByTestId('error-card')).toBeVisible();
    },
  },
  'key-lost': { scene: 'key-lost', reach: (page) => expect(page.getByTestId('key-missing')).toBeVisible() },
  'folders-before': { scene: 'no-session', reach: (page) => expect(page.getByTestId('recent')).toBeVisible() },
  'tour-ask': { scene: 'tour', reach: toured('ask') },
  'tour-step': { scene: 'tour', reach: toured('step') },
  'tour-limit': { scene: 'tour', reach: toured('limit') },
  'tour-preview': { scene: 'tour', reach: toured('preview') },
  'tour-answer': { scene: 'tour', reach: toured('answer') },
  'tour-trace': { scene: 'tour', reach: toured('trace') },
  'slash-all': {
    scene: 'finished',
    reach: async (page) => {
      await page.getByTestId('composer').fill('/');
      await expect(page.getByRole('option', { name: /^\/review/ })).toBeAttached();
    },
  },
};

fits(STATES);
