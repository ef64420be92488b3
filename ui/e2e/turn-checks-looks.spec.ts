// The checks of a turn in both themes and at both sizes: while one runs, passed, failed, skipped and repaired.

import { fits, type Reach } from './looks';
import { expect } from './window';

const opened: Reach = async (page) => {
  for (const line of await page.getByTestId('checks-line').all()) await line.click();
  await expect(page.getByTestId('check').first()).toBeVisible();
};

fits({
  'checks-running': { scene: 'checks-running', reach: opened },
  'checks-passed': { scene: 'checks-passed', reach: (page) => expect(page.getByTestId('checks-line')).toBeVisible() },
  'checks-passed-open': { scene: 'checks-passed', reach: opened },
  'checks-unheld': { scene: 'checks-unheld', reach: opened },
  'checks-script': {
    scene: 'checks-skipped',
    reach: async (page) => {
      await page.getByTestId('checks-scripts').click();
      await expect(page.getByTestId('check-accept')).toBeEnabled();
    },
  },
  'checks-failed': { scene: 'checks-failed', reach: opened },
  'checks-skipped': { scene: 'checks-skipped', reach: opened },
  'checks-repaired': { scene: 'checks-repaired', reach: opened },
});
