// How a rail, a page that is rendered and what is wide look: nothing scrolls sideways, and everybody can use it.

import { fits, type Reach } from './looks';
import { expect, words } from './window';

const STATES: Record<string, { scene: string; reach: Reach }> = {
  rail: {
    scene: 'rail',
    reach: async (page) => {
      await expect(words(page)).toHaveText('Answering');
      await page.getByTestId('stop-ahead').click();
      await expect(page.getByTestId('stop-pause')).toBeVisible();
      await page.getByTestId('stop-tool').last().hover();
    },
  },
  'rail-checks': {
    scene: 'checks-repaired',
    reach: (page) => page.getByTestId('stop-write').first().focus(),
  },
  rendered: {
    scene: 'write-create',
    reach: async (page) => {
      await page.getByTestId('show-rendered').click();
      await expect(page.getByTestId('rendered').getByRole('heading').first()).toBeVisible();
    },
  },
  'diagram-large': {
    scene: 'diagrams',
    reach: async (page) => {
      const diagram = page.getByTestId('diagram').last();
      await diagram.scrollIntoViewIfNeeded();
      await diagram.getByTestId('enlarge').click();
      await expect(page.getByTestId('diagram-large').getByRole('img')).toBeVisible();
    },
  },
};

fits(STATES);
