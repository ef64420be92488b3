// Opens states of the window in both themes and at both sizes: nothing scrolls sideways, nothing is inaccessible. The screenshots are for
// people to look at; `ORION_SCREENSHOTS` names the folder they go to.

import { mkdirSync } from 'node:fs';
import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect, test } from './window';

export type Reach = (page: Page) => Promise<unknown>;

/** Below 900 px the panel is a drawer. */
export const showPanel: (page: Page, tab: string) => Promise<void> = async (page, tab) => {
  const trigger = page.getByRole('tab', { name: tab });
  if (!(await trigger.isVisible())) await page.getByRole('button', { name: 'Side panel' }).click();
  await trigger.click();
};

const SIZES = [{ width: 1280, height: 800 }, { width: 800, height: 600 }];
const folder = process.env['ORION_SCREENSHOTS'];
if (folder) mkdirSync(folder, { recursive: true });

export function fits(states: Record<string, { scene: string; reach: Reach }>): void {
  for (const viewport of SIZES) {
    for (const colorScheme of ['light', 'dark'] as const) {
      test.describe(`${viewport.width}x${viewport.height}, ${colorScheme}`, () => {
        test.use({ viewport, colorScheme, contextOptions: { reducedMotion: 'reduce' } });

        for (const [name, { scene, reach }] of Object.entries(states)) {
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
}
