// Opens states of the window: nothing scrolls sideways, nothing is inaccessible. Each state is looked at twice, wide in light and narrow in dark, and
// at both sizes in both themes where `ORION_SEARCH` is `whole`. The screenshots are for people to look at; `ORION_SCREENSHOTS` names the folder
// they go to.

import { mkdirSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { inaccessible } from './accessible';
import { test } from './kept';
import { expect } from './window';

export type Reach = (page: Page) => Promise<unknown>;

/** Below 900 px the panel is a drawer. */
export const showPanel: (page: Page, tab: string) => Promise<void> = async (page, tab) => {
  const trigger = page.getByRole('tab', { name: tab });
  if (!(await trigger.isVisible())) await page.getByRole('button', { name: 'Side panel' }).click();
  await trigger.click();
};

const WIDE = { width: 1280, height: 800 };
const NARROW = { width: 800, height: 600 };
const LOOKS = [
  { viewport: WIDE, colorScheme: 'light' },
  { viewport: NARROW, colorScheme: 'dark' },
  ...(process.env['ORION_SEARCH'] === 'whole'
    ? ([
        { viewport: WIDE, colorScheme: 'dark' },
        { viewport: NARROW, colorScheme: 'light' },
      ] as const)
    : []),
] as const;

const folder = process.env['ORION_SCREENSHOTS'];
if (folder) mkdirSync(folder, { recursive: true });

export function fits(states: Record<string, { scene: string; reach: Reach }>): void {
  for (const { viewport, colorScheme } of LOOKS) {
    test.describe(`${viewport.width}x${viewport.height}, ${colorScheme}`, () => {
      test.use({ viewport, colorScheme, contextOptions: { reducedMotion: 'reduce' } });

      for (const [name, { scene, reach }] of Object.entries(states)) {
        test(`${name} fits, and everybody can use it`, async ({ page, open }) => {
          await open(scene);
          await reach(page);
          if (folder) await page.screenshot({ path: `${folder}/${name}-${viewport.width}-${colorScheme}.png` });
          const sideways = await page.evaluate(
            () => document.scrollingElement!.scrollWidth - document.scrollingElement!.clientWidth,
          );
          expect(sideways).toBe(0);
          expect(await inaccessible(page)).toEqual([]);
        });
      }
    });
  }
}
