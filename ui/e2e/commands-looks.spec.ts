// Commands in both themes and at both sizes: asked about, running, ended, and all of an output.

import { fits, type Reach } from './looks';
import { expect, turnTo, unfold } from './window';

const approval: Reach = (page) => expect(page.getByTestId('approve')).toBeEnabled();

const opened: Reach = async (page) => {
  await expect(page.getByTestId('answer').last()).toBeVisible();
  if (await page.getByTestId('fold').count()) await unfold(page);
  await page.getByTestId('tool-box-toggle').click();
  await expect(page.getByTestId('tool-result')).toBeVisible();
};

const STATES: Record<string, { scene: string; reach: Reach }> = {
  'command-asked': { scene: 'command-asked', reach: approval },
  'command-more': {
    scene: 'command-asked',
    reach: async (page) => {
      await page.getByTestId('reads').locator('summary').click();
      await page.getByTestId('more-answers').click();
      await expect(page.getByTestId('allow-outside')).toBeEnabled();
    },
  },
  'command-words': { scene: 'command-words', reach: approval },
  'command-unread': { scene: 'command-unread', reach: approval },
  'command-none': { scene: 'command-none', reach: approval },
  'command-files': { scene: 'command-files', reach: approval },
  'command-files-ended': { scene: 'command-files-ended', reach: opened },
  'command-outside': { scene: 'command-outside', reach: approval },
  'command-since': { scene: 'command-since', reach: approval },
  'command-long': { scene: 'command-long', reach: (page) => expect(page.getByTestId('to-its-end')).toBeVisible() },
  'command-changed': {
    scene: 'command-long',
    reach: async (page) => {
      await page.getByTestId('command-line').evaluate((line) => (line.scrollTop = line.scrollHeight));
      await page.getByTestId('more-answers').click();
      await page.getByTestId('edit').click();
      await expect(page.getByTestId('hides')).toContainText('⟨U+202E⟩');
    },
  },
  'command-running': {
    scene: 'command-running',
    reach: (page) => expect(page.getByTestId('live-output')).toContainText('case_12'),
  },
  'command-fetching': { scene: 'command-fetching', reach: approval },
  'command-hosts': { scene: 'command-hosts', reach: approval },
  'command-refused': {
    scene: 'command-refused',
    reach: (page) => expect(page.getByTestId('run-again')).toBeVisible(),
  },
  'command-reached': { scene: 'command-reached', reach: opened },
  'command-ended': { scene: 'command-ended', reach: opened },
  'command-changes': {
    scene: 'command-changes',
    reach: async (page) => {
      await opened(page);
      await page.getByRole('button', { name: /^Difference of src\/__snap/ }).click();
      await expect(page.getByTestId('changed-rows')).toContainText('over the lazy dog');
    },
  },
  'command-failed': { scene: 'command-failed', reach: opened },
  'command-closed': {
    scene: 'command-failed',
    reach: (page) => expect(page.getByTestId('tool-box')).toContainText('Exit code 1'),
  },
  'command-timed-out': { scene: 'command-timed-out', reach: opened },
  'command-output': {
    scene: 'command-failed',
    reach: async (page) => {
      await opened(page);
      await page.getByTestId('all-output').click();
      await page.getByTestId('find-text').fill('case_3');
      await expect(page.getByTestId('find-place')).toHaveText('1 of 1');
    },
  },
  'command-kept': {
    scene: 'command-asked',
    reach: async (page) => {
      await expect(page.getByTestId('keep-project')).toBeEnabled();
      await page.getByTestId('keep-project').click();
      await expect(page.getByTestId('state')).toHaveText('Answered');
      await page.keyboard.press('Control+,');
      await turnTo(page, 'Permissions');
      await page.getByTestId('approvals').scrollIntoViewIfNeeded();
      await expect(page.getByTestId('every-command')).toBeVisible();
    },
  },
};

fits(STATES);
