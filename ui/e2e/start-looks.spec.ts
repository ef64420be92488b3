// The way to the first answer, and writing a message, in both themes and at both sizes.

import type { Page } from '@playwright/test';
import { fits, type Reach } from './looks';
import { expect } from './window';

const at = (page: Page, scene: string, moment: string) =>
  expect(page.locator(`[data-testid=tour][data-scene=${scene}][data-moment=${moment}]`)).toBeVisible({
    timeout: 15_000,
  });

/** Goes through the tour as far as the end of this scene. */
const toured =
  (last: string): Reach =>
  async (page) => {
    await page.getByTestId('take-tour').click();
    for (const scene of ['stuck', 'write', 'back', 'inside']) {
      if (scene === 'inside') {
        await expect(page.getByRole('dialog')).toBeVisible();
        await page.keyboard.press('Escape');
      }
      await at(page, scene, 'played');
      if (scene === last) return;
      await page.getByTestId('tour-next').press('Enter');
    }
  };

const elsewhere = (page: Page) => page.getByTestId('elsewhere').click();

const STATES: Record<string, { scene: string; reach: Reach }> = {
  'welcome-first': { scene: 'welcome', reach: (page) => expect(page.getByTestId('open-folder')).toBeVisible() },
  'model-found': { scene: 'models-found', reach: (page) => expect(page.getByTestId('use-found')).toBeVisible() },
  'model-looking': { scene: 'models-late', reach: (page) => expect(page.getByTestId('paste-key')).toBeVisible() },
  'model-nothing': {
    scene: 'nothing-found',
    reach: async (page) => {
      await page.getByTestId('paste-key').fill('sk-1');
      await expect(page.getByRole('button', { name: 'OpenAI' })).toBeVisible();
    },
  },
  'model-list': {
    scene: 'nothing-found',
    reach: async (page) => {
      await page.getByTestId('paste-key').fill('sk-or-v1-1');
      await page.getByTestId('first-key-go').click();
      await expect(page.getByTestId('model-list')).toBeVisible();
    },
  },
  'key-form': {
    scene: 'key-lost',
    reach: (page) => page.getByRole('button', { name: 'Enter the key' }).click(),
  },
  'connect-known': {
    scene: 'no-model',
    reach: async (page) => {
      await elsewhere(page);
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^Ollama/ })
        .click();
      await expect(page.getByTestId('model-name')).toHaveValue('qwen3:8b');
    },
  },
  'connect-unlisted': {
    scene: 'no-model',
    reach: async (page) => {
      await elsewhere(page);
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^Ollama/ })
        .click();
      await expect(page.getByTestId('model-name')).toHaveValue('qwen3:8b');
      await page.getByTestId('model-name').fill('gemma3');
      await page.getByTestId('save-endpoint').click();
      await expect(page.getByTestId('unlisted')).toBeVisible();
    },
  },
  'connect-refused': {
    scene: 'no-model',
    reach: async (page) => {
      await elsewhere(page);
      await page.getByTestId('base-url').fill('https://models.example/v1');
      await page.getByTestId('model-name').fill('m');
      await page.getByTestId('save-endpoint').click();
      await page.getByTestId('save-endpoint').scrollIntoViewIfNeeded();
      await expect(page.getByTestId('error-card')).toBeVisible();
    },
  },
  'key-lost': { scene: 'key-lost', reach: (page) => expect(page.getByTestId('key-missing')).toBeVisible() },
  'folder-gone': { scene: 'folder-gone', reach: (page) => expect(page.getByTestId('folder-gone')).toBeVisible() },
  'unknown-command': {
    scene: 'no-session',
    reach: async (page) => {
      await page.getByTestId('composer').fill('/paln');
      await page.getByTestId('send').click();
      await expect(page.getByTestId('unknown-command')).toBeVisible();
    },
  },
  'folders-before': { scene: 'no-session', reach: (page) => expect(page.getByTestId('recent')).toBeVisible() },
  'tour-stuck': { scene: 'tour', reach: toured('stuck') },
  'tour-approves': {
    scene: 'tour',
    reach: async (page) => {
      await toured('stuck')(page);
      await page.getByTestId('tour-next').click();
      await at(page, 'write', 'approves');
    },
  },
  'tour-write': { scene: 'tour', reach: toured('write') },
  'tour-back': { scene: 'tour', reach: toured('back') },
  'tour-inside': { scene: 'tour', reach: toured('inside') },
  'slash-all': {
    scene: 'finished',
    reach: async (page) => {
      await page.getByTestId('composer').fill('/');
      await expect(page.getByRole('option', { name: /^\/review/ })).toBeAttached();
    },
  },
};

fits(STATES);
