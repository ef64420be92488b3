// How the trace looks, in both themes and at both sizes.

import type { Page } from '@playwright/test';
import { fits, showPanel } from './looks';
import { expect } from './window';

const showTrace = async (page: Page, scale: 'by-step' | 'by-time') => {
  await showPanel(page, 'Trace');
  await page.getByTestId(scale).click();
  await expect(page.getByTestId('timeline-row').first()).toBeVisible();
};

fits({
  'trace-step': { scene: 'traced', reach: (page) => showTrace(page, 'by-step') },
  'trace-time': { scene: 'traced', reach: (page) => showTrace(page, 'by-time') },
  'trace-closer': {
    scene: 'traced',
    reach: async (page) => {
      await showTrace(page, 'by-time');
      await page.getByTestId('longest').click();
      await page.getByRole('button', { name: 'Zoom in' }).click();
      await page.getByRole('button', { name: 'Zoom in' }).click();
      await expect(page.getByTestId('minimap')).toBeVisible();
    },
  },
  'trace-long': { scene: 'traced-long', reach: (page) => showTrace(page, 'by-step') },
  'trace-whole': {
    scene: 'traced',
    reach: async (page) => {
      await showTrace(page, 'by-step');
      await page.getByTestId('trace-whole').click();
      await expect(page.getByTestId('trace-window').getByTestId('timeline-row')).toHaveCount(6);
    },
  },
  'trace-list': {
    scene: 'traced',
    reach: async (page) => {
      await showPanel(page, 'Trace');
      await page.getByTestId('as-list').click();
      await page.locator('[data-testid=trace-row][data-kind=tool_call]').nth(1).click();
      await expect(page.getByTestId('tool-result')).toContainText('pub fn load');
    },
  },
  'trace-call': {
    scene: 'traced',
    reach: async (page) => {
      await showTrace(page, 'by-step');
      await page.getByTestId('longest').click();
      await expect(page.getByTestId('differs')).toBeVisible();
    },
  },
  'trace-raw': {
    scene: 'traced',
    reach: async (page) => {
      await showTrace(page, 'by-step');
      await page.getByTestId('longest').click();
      const section = page.getByTestId('inspector').getByTestId('raw-response');
      await section.getByText('What came back').click();
      await expect(section.locator('pre')).toContainText('data: [DONE]');
      await section.scrollIntoViewIfNeeded();
    },
  },
  'trace-whole-write': {
    scene: 'traced',
    reach: async (page) => {
      await showTrace(page, 'by-time');
      await page.getByTestId('trace-whole').click();
      await page.getByTestId('trace-window').getByTestId('timeline-row').last().click();
      await expect(page.getByTestId('changed-rows')).toBeVisible();
    },
  },
  'trace-error': {
    scene: 'budget',
    reach: async (page) => {
      await showTrace(page, 'by-step');
      await page.getByTestId('timeline-row').nth(2).click();
      await expect(page.getByTestId('inspector').getByTestId('error-card')).toBeVisible();
    },
  },
});
