// Every state in both themes and at both sizes: nothing scrolls sideways, nothing is inaccessible. The screenshots are
// for people to look at; `ORION_SCREENSHOTS` names the folder they go to.

import { fits, type Reach, showPanel } from './looks';
import { expect, turnTo, unfold, words } from './window';

const STATES: Record<string, { scene: string; reach: Reach }> = {
  welcome: { scene: 'welcome', reach: (page) => expect(page.getByTestId('take-tour')).toBeVisible() },
  connect: {
    scene: 'no-model',
    reach: async (page) => {
      await page.getByTestId('elsewhere').click();
      await expect(page.getByText('answers here')).toBeVisible();
    },
  },
  'endpoint-numbers': {
    scene: 'finished',
    reach: async (page) => {
      await page.keyboard.press('Control+,');
      await page.getByRole('button', { name: 'Change ollama' }).click();
      await page.locator('form').getByText('More', { exact: true }).click();
      await page.getByTestId('add-size').click();
      await page.getByTestId('size-model').fill('qwen3:32b');
      await page.getByTestId('add-size').scrollIntoViewIfNeeded();
      await expect(page.getByTestId('window')).toHaveCount(2);
    },
  },
  spoken: {
    scene: 'finished',
    reach: async (page) => {
      await page.keyboard.press('Control+,');
      await page.getByTestId('of-endpoint').locator('details').nth(1).locator('summary').click();
      await page.getByTestId('ask-server').scrollIntoViewIfNeeded();
      await expect(page.getByTestId('spoken')).toContainText('Tool messages');
    },
  },
  reading: { scene: 'reading', reach: (page) => expect(page.locator('[data-copy-path]')).toHaveCount(4) },
  viewer: {
    scene: 'reading',
    reach: async (page) => {
      await page.getByRole('button', { name: 'src/config.rs:17' }).click();
      await expect(page.getByTestId('viewed-lines')).toContainText('Configuration');
    },
  },
  imported: { scene: 'imported', reach: (page) => expect(page.getByTestId('read-only')).toBeVisible() },
  export: {
    scene: 'finished',
    reach: async (page) => {
      await page.keyboard.press('Control+K');
      await page.getByRole('combobox', { name: 'Go to anything' }).fill('Export the session');
      await page.keyboard.press('Enter');
      await page.getByTestId('export-save').click();
      await expect(page.getByTestId('exported')).toBeVisible();
    },
  },
  'replay-same': {
    scene: 'finished',
    reach: async (page) => {
      await showPanel(page, 'Trace');
      await page.getByTestId('replay').getByRole('button').click();
      await expect(page.getByTestId('replay')).toContainText('are the same');
    },
  },
  'replay-differs': {
    scene: 'error',
    reach: async (page) => {
      await showPanel(page, 'Trace');
      await page.getByTestId('replay').getByRole('button').click();
      await expect(page.getByTestId('replay')).toContainText('is not what was recorded');
    },
  },
  'no-project': {
    scene: 'no-project',
    reach: (page) => expect(page.getByRole('heading', { name: 'Open a folder to begin' })).toBeVisible(),
  },
  'no-model': {
    scene: 'no-model',
    reach: (page) => expect(page.getByTestId('first-model')).toBeVisible(),
  },
  'no-session': {
    scene: 'no-session',
    reach: (page) => expect(page.getByRole('button', { name: 'How does src/config.rs work?' })).toBeVisible(),
  },
  branches: {
    scene: 'branches',
    reach: async (page) => {
      await expect(page.getByTestId('branches')).toHaveText('2 of 2');
      await page.getByRole('article').last().getByRole('button', { name: 'Actions for the message' }).focus();
    },
  },
  'message-edit': {
    scene: 'branches',
    reach: async (page) => {
      await page.getByRole('article').last().getByRole('button', { name: 'Actions for the message' }).click();
      await page.getByRole('menuitem', { name: 'Edit and resend' }).click();
      await expect(page.getByTestId('message-edit')).toBeFocused();
    },
  },
  queued: {
    scene: 'queue',
    reach: async (page) => {
      await expect(page.getByTestId('send')).toHaveText('Queue');
      for (const text of [
        'And where is it tested?',
        'Then write it down in docs/config.md, with an example for each of the three sources, and name the function that merges them.',
      ]) {
        await page.getByTestId('composer').fill(text);
        await page.getByTestId('composer').press('Enter');
        await expect(page.getByTestId('queued').last()).toHaveText(text);
      }
      await page.getByTestId('composer').fill('Only in src, please.');
      await page.getByTestId('composer').press('Alt+Enter');
      await expect(page.getByTestId('steered')).toHaveAttribute('data-to', 'waiting');
      await page.getByTestId('composer').fill('A third one');
      await expect(page.getByTestId('queued')).toHaveCount(2);
    },
  },
  'queue-held': {
    scene: 'queue-held',
    reach: async (page) => {
      await page.getByTestId('queued').first().locator('.text').click();
      await expect(page.getByTestId('queued-edit')).toBeFocused();
    },
  },
  'steered-late': { scene: 'steered-late', reach: (page) => expect(page.getByTestId('queue-release')).toBeVisible() },
  changes: {
    scene: 'changes',
    reach: async (page) => {
      await showPanel(page, 'Changes');
      await expect(page.getByTestId('changed-file')).toHaveCount(2);
      await expect(page.getByTestId('changed-rows')).toBeVisible();
    },
  },
  'fork-above': {
    scene: 'long-short',
    reach: async (page) => {
      await page.getByRole('article').last().getByRole('button', { name: 'Actions for the message' }).click();
      await page.getByRole('menuitem', { name: 'Fork from here' }).click();
      await expect(page.getByTestId('before-fork')).toHaveCount(20);
      await page.getByTestId('before-fork').nth(18).getByRole('button').click();
      await page.getByTestId('before-fork').nth(17).scrollIntoViewIfNeeded();
    },
  },
  fork: {
    scene: 'finished',
    reach: async (page) => {
      await unfold(page);
      await page.getByRole('button', { name: 'Actions for step 1' }).click();
      await page.getByRole('menuitem', { name: 'Fork from here' }).click();
      await expect(page.getByTestId('tool-result')).toContainText('foxes');
    },
  },
  'rewind-preview': {
    scene: 'rewind',
    reach: async (page) => {
      await page.getByRole('article').nth(1).getByRole('button', { name: 'Actions for the message' }).click();
      await page.getByRole('menuitem', { name: 'Rewind to here' }).click();
      await expect(page.getByTestId('rewound-files')).toBeVisible();
    },
  },
  rewound: {
    scene: 'rewind',
    reach: async (page) => {
      await page.getByRole('article').nth(1).getByRole('button', { name: 'Actions for the message' }).click();
      await page.getByRole('menuitem', { name: 'Rewind to here' }).click();
      await page.getByTestId('rewind-go').click();
      await page.getByTestId('rewind-notice').getByText('Which files, and why').click();
      await expect(page.getByTestId('rewound-files')).toBeVisible();
    },
  },
  streaming: { scene: 'streaming', reach: (page) => expect(words(page)).toHaveText('Answering') },
  'running-tool': { scene: 'tool', reach: (page) => expect(words(page)).toHaveText('Searching files') },
  approval: { scene: 'approval', reach: (page) => expect(page.getByTestId('approve')).toBeVisible() },
  'approval-edit': {
    scene: 'approval',
    reach: async (page) => {
      await page.getByTestId('more-answers').click();
      await page.getByTestId('edit').click();
      await page.getByLabel('max_results').fill('many');
      await expect(page.getByTestId('edit-arguments').getByRole('alert')).toBeVisible();
    },
  },
  'approval-rule': {
    scene: 'approval-rule',
    reach: (page) => expect(page.getByText('Your settings ask about this.')).toBeVisible(),
  },
  'approval-leaked': {
    scene: 'approval-leaked',
    reach: (page) => expect(page.getByTestId('approve')).toBeEnabled(),
  },
  'read-as-meant': {
    scene: 'read-as-meant',
    reach: async (page) => {
      await unfold(page);
      await page.getByTestId('tool-box-toggle').click();
      await page.getByTestId('made').getByText('As the model wrote it').click();
      await expect(page.getByTestId('tool-result')).toBeVisible();
    },
  },
  'tool-rules': {
    scene: 'finished',
    reach: async (page) => {
      await page.keyboard.press('Control+,');
      await turnTo(page, 'Permissions');
      await page.getByTestId('tool-rules').scrollIntoViewIfNeeded();
      await expect(page.getByText('secret/**')).toBeVisible();
    },
  },
  'approvals-kept': {
    scene: 'finished',
    reach: async (page) => {
      await page.keyboard.press('Control+,');
      await turnTo(page, 'Permissions');
      await page.getByTestId('approvals').scrollIntoViewIfNeeded();
      await expect(page.getByTestId('approvals').getByRole('listitem')).toHaveCount(2);
    },
  },
  'write-answers': {
    scene: 'write-ready',
    reach: async (page) => {
      await page.getByTestId('more-answers').click();
      await expect(page.getByTestId('keep')).toBeVisible();
    },
  },
  'tool-open': {
    scene: 'finished',
    reach: async (page) => {
      await unfold(page);
      await page.getByTestId('tool-box-toggle').last().click();
      await expect(page.getByTestId('tool-result')).toContainText('pub fn load');
    },
  },
  finished: { scene: 'finished', reach: (page) => expect(page.locator('pre span[style]').first()).toBeVisible() },
  'long-earlier': {
    scene: 'long-slow',
    reach: async (page) => {
      await page.getByRole('region', { name: 'Conversation' }).evaluate((region) => (region.scrollTop = 0));
      await expect(page.getByText('Loading earlier turns')).toBeVisible();
    },
  },
  'long-failed': {
    scene: 'long-flaky',
    reach: async (page) => {
      await page.getByRole('region', { name: 'Conversation' }).evaluate((region) => (region.scrollTop = 0));
      await expect(page.getByRole('button', { name: 'Load again' })).toBeVisible();
    },
  },
  error: { scene: 'error', reach: (page) => expect(page.getByTestId('error-card')).toBeVisible() },
  'cut-off': { scene: 'cut-off', reach: (page) => expect(page.getByTestId('error-card')).toBeVisible() },
  retrying: { scene: 'retrying', reach: (page) => expect(page.getByTestId('retry-now')).toBeVisible() },
  'unknown-finish': {
    scene: 'unknown-finish',
    reach: (page) => expect(page.getByTestId('accept-finish')).toBeVisible(),
  },
  'made-room': { scene: 'made-room', reach: (page) => expect(page.getByText('were taken out.')).toBeVisible() },
  'read-again': {
    scene: 'read-again',
    reach: (page) => expect(page.getByTestId('fold').last()).toHaveText('Read 1 file again, unchanged'),
  },
  compacting: { scene: 'compacting', reach: (page) => expect(words(page)).toHaveText('Summing up the conversation') },
  compacted: {
    scene: 'compacted',
    reach: async (page) => {
      await page.getByTestId('entry-toggle').click();
      await page.getByText('4 things done').click();
      await expect(page.getByTestId('entry-undo')).toBeVisible();
    },
  },
  'entry-editing': {
    scene: 'compacted',
    reach: async (page) => {
      await page.getByTestId('entry-toggle').click();
      await page.getByTestId('entry-edit').click();
      await expect(page.getByTestId('entry-draft')).toBeVisible();
    },
  },
  'not-compacted': { scene: 'not-compacted', reach: (page) => expect(page.getByTestId('error-card')).toBeVisible() },
  'too-long': { scene: 'too-long', reach: (page) => expect(page.getByTestId('make-room')).toBeVisible() },
  slash: {
    scene: 'finished',
    reach: async (page) => {
      await page.getByTestId('composer').fill('/');
      await expect(page.getByTestId('slash')).toBeVisible();
    },
  },
  repeating: { scene: 'repeating', reach: (page) => expect(page.getByTestId('repeats')).toBeVisible() },
  budget: { scene: 'budget', reach: (page) => expect(words(page)).toHaveText('Answered') },
  'budget-wanting': { scene: 'wanting', reach: (page) => expect(page.getByTestId('continue')).toBeVisible() },
  'no-answer': { scene: 'no-answer', reach: (page) => expect(page.getByTestId('continue')).toBeVisible() },
  interrupted: { scene: 'interrupted', reach: (page) => expect(words(page)).toHaveText('Interrupted') },
  'write-streaming': {
    scene: 'write-streaming',
    reach: (page) => expect(words(page)).toHaveText('Writing docs/guide.md'),
  },
  'write-live': {
    scene: 'write-streaming',
    reach: async (page) => {
      await page.getByTestId('review').click();
      await expect(page.getByTestId('live')).toContainText('## 4.');
    },
  },
  'write-checking': {
    scene: 'write-checking',
    reach: (page) => expect(words(page)).toHaveText('Checking docs/guide.md'),
  },
  'write-correcting': {
    scene: 'write-correcting',
    reach: (page) => expect(words(page)).toHaveText('Asking the model to correct 3 places'),
  },
  'write-repeats': {
    scene: 'write-repeats',
    reach: async (page) => {
      await expect(page.getByTestId('repeats-card')).toBeVisible();
      await page.getByTestId('review').click();
      await expect(page.getByTestId('repeated-content')).toContainText('The same 195 more times');
    },
  },
  'write-ready': {
    scene: 'write-ready',
    reach: (page) => expect(page.locator('[data-testid=row] span[style]').first()).toBeVisible(),
  },
  'write-split': {
    scene: 'write-ready',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Side by side' }).click();
      if (await page.getByRole('region', { name: 'Conversation' }).isVisible()) await page.getByTestId('wide').click();
      await page.getByRole('button', { name: 'Reject change 1' }).click();
      await expect(page.locator('[data-testid=split-row] span[style]').first()).toBeVisible();
    },
  },
  'write-rejecting': {
    scene: 'write-ready',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Reject change 1' }).click();
      await expect(page.getByTestId('write-approve')).toHaveText('Approve 2 of 3');
    },
  },
  'write-create': { scene: 'write-create', reach: (page) => expect(page.getByTestId('row').first()).toBeVisible() },
  'write-hostile': {
    scene: 'write-hostile',
    reach: async (page) => {
      await page.getByRole('img', { name: /^U\+202E/ }).focus();
      await expect(page.getByTestId('explanation')).toBeVisible();
    },
  },
  'write-legacy': {
    scene: 'write-legacy',
    reach: (page) => expect(page.getByTestId('format')).toHaveText('UTF-16LE with BOM, CRLF line ends'),
  },
  'write-changed': {
    scene: 'write-changed',
    reach: (page) => expect(page.getByTestId('changed-on-disk')).toBeVisible(),
  },
  'write-renewed': { scene: 'write-renewed', reach: (page) => expect(page.getByTestId('renewed')).toBeVisible() },
  'write-stale': {
    scene: 'write-stale',
    reach: async (page) => {
      await page.getByTestId('write-approve').click();
      await expect(page.getByRole('button', { name: 'Show it again' })).toBeVisible();
    },
  },
  'write-editing': {
    scene: 'write-ready',
    reach: async (page) => {
      await page.getByTestId('edit').click();
      await expect(page.getByTestId('editor')).toBeFocused();
    },
  },
  'write-edit-over': {
    scene: 'write-ready',
    reach: async (page) => {
      await page.getByTestId('edit').click();
      await expect(page.getByTestId('editor')).toBeFocused();
      await page.keyboard.type('Mine. ');
      await page.getByTestId('stop').click();
      await expect(page.getByTestId('edit-over')).toBeVisible();
    },
  },
  questions: {
    scene: 'questions',
    reach: async (page) => {
      await page.getByTestId('question-card').getByLabel('YAML').check();
      await page.getByTestId('own-words').last().fill('Whatever else there is');
    },
  },
  paused: { scene: 'paused', reach: (page) => expect(page.getByTestId('tool-result')).toBeVisible() },
  'paused-editing': {
    scene: 'paused',
    reach: async (page) => {
      await page.getByTestId('edit-result').click();
      await expect(page.getByTestId('result-text')).toBeFocused();
    },
  },
  'paused-twice': {
    scene: 'paused-twice',
    reach: async (page) => {
      await page.getByTestId('drop-result').last().click();
      await expect(page.getByTestId('keep-result')).toBeVisible();
    },
  },
  'paused-now': { scene: 'paused-now', reach: (page) => expect(page.getByTestId('pause-resume')).toBeVisible() },
  'write-undone': {
    scene: 'write-undone',
    reach: (page) => expect(page.getByTestId('write-box')).toContainText('undone'),
  },
  'write-done': {
    scene: 'write-done',
    reach: async (page) => {
      await page.getByTestId('review').click();
      await expect(page.getByTestId('row').first()).toBeVisible();
    },
  },
  'write-failed': { scene: 'write-failed', reach: (page) => expect(page.getByTestId('error-card')).toBeVisible() },
  'write-unknown': { scene: 'write-unknown', reach: (page) => expect(page.getByTestId('error-card')).toBeVisible() },
  'write-interrupted': {
    scene: 'write-interrupted',
    reach: (page) => expect(page.getByTestId('resume')).toBeVisible(),
  },
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
      await page.keyboard.type('theme: dark');
      await expect(page.getByTestId('palette').getByRole('option', { name: 'Theme: dark' })).toBeVisible();
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
  context: {
    scene: 'finished',
    reach: async (page) => {
      await page.getByTestId('context-meter').click();
      await page.getByTestId('context-part').last().getByRole('button', { expanded: false }).click();
      await expect(page.getByTestId('context-box')).toHaveCount(2);
      await page.getByRole('button', { name: /^Take out .*read_file/ }).click();
      await page.getByRole('button', { name: /^Pin, .*list_files/ }).click();
    },
  },
  'context-smaller': {
    scene: 'finished',
    reach: async (page) => {
      await page.getByRole('button', { name: /^Model: / }).click();
      await page.getByRole('combobox', { name: 'Endpoint' }).selectOption('ollama');
      await page.keyboard.press('Escape');
      await expect(page.getByTestId('would-cut')).toBeVisible();
    },
  },
  sent: {
    scene: 'finished',
    reach: async (page) => {
      if (!(await page.getByRole('tab', { name: 'Trace' }).isVisible())) await page.keyboard.press('Control+j');
      await page.getByTestId('as-list').click();
      await page.locator('[data-testid=trace-row][data-kind=model_call]').nth(1).click();
      await page.getByTestId('inspector').getByTestId('sent').click();
      await expect(page.getByTestId('sent-dialog').getByTestId('sent-message')).toHaveCount(2);
      await page.getByTestId('sent-all').click();
    },
  },
  limits: {
    scene: 'finished',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Limits: 8 steps' }).click();
      await page.getByText('Details').click();
      await expect(
        page
          .getByRole('dialog', { name: 'Limits' })
          .getByText(
            'The next message takes at most 21 model calls, 8 tool runs, 128 requests for file content, 30 min.',
          ),
      ).toBeVisible();
    },
  },
};

fits(STATES);
