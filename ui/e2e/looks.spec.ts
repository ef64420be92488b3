// Every state in both themes and at both sizes: nothing scrolls sideways, nothing is inaccessible. The screenshots are
// for people to look at; `ORION_SCREENSHOTS` names the folder they go to.

import { mkdirSync } from 'node:fs';
import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect, test, words } from './window';

type Reach = (page: Page) => Promise<unknown>;

const STATES: Record<string, { scene: string; reach: Reach }> = {
  welcome: { scene: 'welcome', reach: (page) => expect(page.getByTestId('take-tour')).toBeVisible() },
  connect: {
    scene: 'welcome',
    reach: async (page) => {
      await page.getByTestId('connect-model').click();
      await expect(page.getByText('answers here')).toBeVisible();
    },
  },
  'no-project': { scene: 'no-project', reach: (page) => expect(page.getByRole('heading', { name: 'Open a folder to begin' })).toBeVisible() },
  'no-model': { scene: 'no-model', reach: (page) => expect(page.getByRole('heading', { name: 'Connect a model' })).toBeVisible() },
  'no-session': { scene: 'no-session', reach: (page) => expect(page.getByRole('button', { name: 'How does src/config.rs work?' })).toBeVisible() },
  streaming: { scene: 'streaming', reach: (page) => expect(words(page)).toHaveText('Answering') },
  'running-tool': { scene: 'tool', reach: (page) => expect(words(page)).toHaveText('Running search_files') },
  approval: { scene: 'approval', reach: (page) => expect(page.getByTestId('approve')).toBeVisible() },
  'tool-open': {
    scene: 'finished',
    reach: async (page) => {
      await page.getByTestId('tool-box-toggle').last().click();
      await expect(page.getByTestId('tool-result')).toContainText('pub fn load');
    },
  },
  finished: { scene: 'finished', reach: (page) => expect(page.locator('pre span[style]').first()).toBeVisible() },
  error: { scene: 'error', reach: (page) => expect(page.getByTestId('error-card')).toBeVisible() },
  'cut-off': { scene: 'cut-off', reach: (page) => expect(page.getByTestId('error-card')).toBeVisible() },
  retrying: { scene: 'retrying', reach: (page) => expect(words(page)).toHaveText('Trying again in 2 s, attempt 2') },
  budget: { scene: 'budget', reach: (page) => expect(page.getByRole('button', { name: 'Continue with a fresh budget' })).toBeVisible() },
  interrupted: { scene: 'interrupted', reach: (page) => expect(words(page)).toHaveText('Interrupted') },
  settings: {
    scene: 'finished',
    reach: async (page) => {
      await page.keyboard.press('Control+,');
      await expect(page.getByTestId('settings-dialog')).toBeVisible();
    },
  },
  palette: {
    scene: 'finished',
    reach: async (page) => {
      await page.keyboard.press('Control+k');
      await page.keyboard.type('den');
      await expect(page.getByTestId('palette').getByRole('option')).toHaveCount(1);
    },
  },
  shortcuts: {
    scene: 'finished',
    reach: async (page) => {
      await page.getByRole('region', { name: 'Conversation' }).focus();
      await page.keyboard.press('?');
      await expect(page.getByRole('dialog', { name: 'Shortcuts' })).toBeVisible();
    },
  },
  'budget-choice': {
    scene: 'finished',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Budget: 3 cycles' }).click();
      await expect(page.getByText('The next message takes at most 6 model calls, 3 tool runs, 48 write prompts.')).toBeVisible();
    },
  },
};

const SIZES = [{ width: 1280, height: 800 }, { width: 800, height: 600 }];
const folder = process.env['ORION_SCREENSHOTS'];
if (folder) mkdirSync(folder, { recursive: true });

for (const viewport of SIZES) {
  for (const colorScheme of ['light', 'dark'] as const) {
    test.describe(`${viewport.width}x${viewport.height}, ${colorScheme}`, () => {
      test.use({ viewport, colorScheme, contextOptions: { reducedMotion: 'reduce' } });

      for (const [name, { scene, reach }] of Object.entries(STATES)) {
        test(`${name} fits, and everybody can use it`, async ({ page, open }) => {
          await open(scene);
          await reach(page);
          if (folder) await page.screenshot({ path: `${folder}/${name}-${viewport.width}-${colorScheme}.png` });
          const sideways = await page.evaluate(() => document.scrollingElement!.scrollWidth - document.scrollingElement!.clientWidth);
          expect(sideways).toBe(0);
          const { violations } = await new AxeBuilder({ page }).analyze();
          expect(violations.map(({ id, nodes }) => ({ id, nodes: nodes.map((node) => `${node.html} ${node.failureSummary}`) }))).toEqual([]);
        });
      }
    });
  }
}
