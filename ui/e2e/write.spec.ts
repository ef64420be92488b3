// A file on its way from the model through the preview to the disk (W): watched, reviewed, approved, undone.

import type { Page } from '@playwright/test';
import { test } from './kept';
import { expect, send, touch, words } from './window';

const pane = (page: Page) => page.getByTestId('diff-pane');
const box = (page: Page) => page.getByTestId('write-box');
const hunk = (page: Page, number: number) => page.getByRole('group', { name: new RegExp(`^Change ${number} of`) });
/** Leaves the composer, so that single keys belong to the window. */
const leaveComposer = (page: Page) => page.getByRole('region', { name: 'Difference' }).focus();

// High enough for a whole difference: the band below the conversation takes a part of the window.
test.use({ viewport: { width: 1280, height: 1200 } });

test('W2: a file grows in its pane and not in the chat', async ({ page, open }) => {
  await open('write-streaming');
  await expect(words(page)).toHaveText('Writing docs/guide.md');
  await expect(page.getByTestId('figure')).toHaveText('· 56 lines');
  await expect(box(page)).toHaveAttribute('data-stage', 'content');
  await expect(box(page)).toContainText('56 lines · 1.7 KB');
  await expect(page.getByTestId('live')).toContainText('## 4. What a fox does in round 4');
  await expect(page.getByTestId('answer')).toHaveText('I write it as one file, so that you can look at it first.');
});

test('W6: the preview opens by itself, and what is approved is written', async ({ page, open }) => {
  await open('write-live', 0.2);
  await send(page, 'Take the patience of a fox from the configuration.');
  await expect(words(page)).toHaveText('Waiting for your approval');
  await expect(page.getByTestId('hunk')).toHaveCount(3);
  await expect(page.locator('[data-testid=row][data-kind=added]').first()).toContainText('use crate::config::Config;');
  await page.getByTestId('write-approve').click();
  await expect(words(page)).toHaveText('Answered');
  await expect(box(page)).toHaveAttribute('data-stage', 'written');
  await expect(page.getByTestId('write-approve')).toHaveCount(0);
  await expect(page.getByTestId('composer')).toBeFocused();
  await expect(pane(page)).toHaveCount(0);
  await page.getByTestId('review').click();
  await expect(page.getByTestId('write-state')).toHaveText('written');
  await expect(page.getByTestId('write-facts')).toHaveText('1.3 KB');
});

test('T4: what is spent on a file is not counted as calls', async ({ page, open }) => {
  await open('write-correcting');
  await expect(words(page)).toHaveText('Asking the model to correct 3 places');
  await expect(page.getByTestId('phase-bar')).toContainText('step 1 of 3 · 1 of 11 calls');
});

test('W6: keys go from change to change, reject one, and approve the others', async ({ page, open }) => {
  await open('write-ready', 0.2);
  await expect(page.getByTestId('hunk')).toHaveCount(3);
  await leaveComposer(page);
  await page.keyboard.press('n');
  await expect(page.getByTestId('where')).toHaveText('Change 2 of 3');
  await page.keyboard.press('j');
  await expect(page.getByTestId('where')).toHaveText('Change 3 of 3');
  await page.keyboard.press('p');
  await page.keyboard.press('x');
  await expect(page.getByTestId('where')).toHaveText('Change 2 of 3, 1 change rejected');
  await expect(hunk(page, 2)).toHaveAttribute('data-rejected', 'true');
  await expect(page.getByTestId('write-approve')).toHaveText('Approve 2 of 3');
  await page.keyboard.press('a');
  await expect(page.getByTestId('write-approve')).toHaveText('Approve');
  await page.keyboard.press('k');
  await page.keyboard.press('x');
  await expect(page.getByTestId('write-approve')).toBeEnabled();
  await page.keyboard.press('Control+Enter');
  await expect(words(page)).toHaveText('Answered');
  await expect(box(page)).toContainText('2 of 3 changes');
  // W8: what is shown now is what was written.
  await page.getByTestId('review').click();
  await expect(page.getByTestId('hunk')).toHaveCount(2);
  await expect(pane(page).getByRole('img', { name: '2 lines added, 2 removed' })).toBeVisible();
});

test('no key decides anything while a person types', async ({ page, open }) => {
  await open('write-ready');
  await expect(page.getByTestId('hunk')).toHaveCount(3);
  await page.getByTestId('composer').click();
  await page.keyboard.type('next, a fox');
  await page.keyboard.press('Alt+Enter');
  // A9: there the key gives the message to the turn, and decides nothing.
  await expect(page.getByTestId('steered')).toContainText('next, a fox');
  await expect(page.getByTestId('where')).toHaveText('Change 1 of 3');
  await expect(words(page)).toHaveText('Waiting for your approval');
  await page.getByTestId('edit').click();
  await expect(page.getByTestId('editor')).toBeFocused();
  await page.keyboard.type('nxa?');
  await page.keyboard.press('Control+Enter');
  await expect(page.getByTestId('editor')).toHaveValue(/^nxa\?/);
  await expect(words(page)).toHaveText('Waiting for your approval');
  await expect(page.getByTestId('write-approve')).toHaveCount(0);
});

test('changes are accepted and rejected one by one and all at once, and with none left there is nothing to approve', async ({
  page,
  open,
}) => {
  await open('write-ready', 0.2);
  await page.getByRole('button', { name: 'Reject change 1' }).click();
  await expect(page.getByTestId('write-approve')).toHaveText('Approve 2 of 3');
  await page.getByTestId('reject-all').click();
  await expect(page.getByTestId('write-approve')).toHaveCount(0);
  await page.getByTestId('accept-all').click();
  await expect(page.getByTestId('write-approve')).toHaveText('Approve');
  await page.getByTestId('write-reject').click();
  await expect(words(page)).toHaveText('Answered');
  await expect(box(page)).toContainText('rejected · nothing written');
  await expect(page.getByTestId('undo')).toHaveCount(0);
});

test('a letter decides only where the preview has the keyboard', async ({ page, open }) => {
  await open('write-ready');
  await expect(page.getByTestId('hunk')).toHaveCount(3);
  await page.getByRole('region', { name: 'Conversation' }).focus();
  for (const key of ['n', 'x', 'j']) await page.keyboard.press(key);
  await expect(page.getByTestId('where')).toHaveText('Change 1 of 3');
  await page.getByTestId('reject-all').click();
  // The button is gone, the keyboard is still there.
  await page.keyboard.press('n');
  await page.keyboard.press('a');
  await expect(page.getByTestId('where')).toHaveText('Change 2 of 3, 2 changes rejected');
  await page.getByRole('button', { name: 'Accept change 2' }).focus();
  await page.keyboard.press('n');
  await expect(page.getByRole('region', { name: 'Difference' })).toBeFocused();
});

test('the pane takes the keyboard when it is asked for, and not each time it is shown', async ({ page, open }) => {
  await open('write-ready');
  await expect(page.getByTestId('hunk').first()).toBeVisible();
  await page.keyboard.press('Control+d');
  await expect(pane(page)).toBeFocused();
  await page.getByTestId('composer').focus();
  await page.getByTestId('close-diff').click();
  await expect(pane(page)).toHaveCount(0);
  await open('write-ready');
  await expect(page.getByTestId('hunk').first()).toBeVisible();
  await expect(page.getByTestId('composer')).toBeFocused();
});

test('W2: a file that begins to grow is shown, whichever the person looked at before', async ({ page, open }) => {
  await open('write-two', 0.2);
  await page.getByTestId('review').click();
  await page.getByTestId('write-approve').click();
  await expect(words(page)).toHaveText('Writing docs/guide.md');
  await expect(page.getByTestId('live')).toContainText('## 4. What a fox does in round 4');
  await expect(pane(page).getByRole('heading', { name: 'docs/guide.md' })).toBeVisible();
});

test('W5: faults that are left are shown with their place, and written only by saying so', async ({ page, open }) => {
  await open('write-hostile', 0.2);
  await expect(page.getByTestId('fault')).toHaveText([
    /^14:18 A character was lost: U\+FFFD/,
    /^15:22 A control character: U\+0000/,
    /^16:14 Markup of a tool call: <tool_call>/,
  ]);
  await expect(page.getByTestId('findings')).toContainText('Orion always asks about a file that can run code later.');
  await page.getByRole('button', { name: 'Go to line 16, column 14' }).click();
  await expect(page.getByTestId('row').filter({ hasText: '<tool_call>' })).toBeInViewport();
  await expect(page.getByTestId('where')).toHaveText('Change 2 of 2');
  await page.getByTestId('close-diff').click();
  // Who has not seen them is shown them first.
  await expect(page.getByTestId('write-approve')).toHaveCount(0);
  await page.getByTestId('write-review').click();
  await expect(page.getByTestId('write-approve')).toHaveText('Write anyway');
  await page.getByTestId('write-approve').click();
  await expect(box(page)).toHaveAttribute('data-stage', 'written');
});

test('W8: what is wrapped around a file is taken out only when a person says so', async ({ page, open }) => {
  await open('write-hostile', 0.2);
  await expect(page.getByTestId('rows')).toContainText('Sure, here is the file:');
  await page.getByRole('button', { name: 'Remove: Text before the file' }).click();
  await expect(page.getByTestId('rows')).not.toContainText('Sure, here is the file:');
  await expect(page.getByTestId('removal')).toHaveCount(2);
  await page.getByRole('button', { name: 'Remove: Invalid characters' }).click();
  await expect(page.getByTestId('fault')).toHaveCount(0);
  await expect(page.getByTestId('write-approve')).toHaveText('Approve');
});

test('characters that hide are signs, and a sign says what it is', async ({ page, open }) => {
  await open('write-hostile');
  const sign = page.getByRole('img', {
    name: 'U+202E changes the direction of the text, so the line may read differently from what it does.',
  });
  await expect(sign).toHaveText('U+202E');
  await sign.hover();
  await expect(page.getByTestId('explanation')).toContainText('changes the direction of the text');
  await page.getByRole('img', { name: /^One message of the model ended here/ }).focus();
  await expect(page.getByTestId('explanation')).toContainText('One message of the model ended here');
  expect(await page.getByTestId('rows').textContent()).not.toMatch(/[\u202e\u202c\u200b]/);
});

test('W6: a file that changed on disk is never written unseen', async ({ page, open }) => {
  await open('write-changed', 0.2);
  const banner = page.getByTestId('changed-on-disk');
  await expect(banner).toContainText('The file changed on disk.');
  await banner.getByRole('button', { name: 'Compare again' }).click();
  await expect(banner).toHaveCount(0);
  await expect(page.getByTestId('renewed')).toContainText(
    'The difference below is against the file as it is now on disk.',
  );
  await expect(page.getByTestId('rows')).toContainText('"Renard"');
});

test('A3: what was rejected in one difference is not approved by the button of the next', async ({ page, open }) => {
  await open('write-renewing', 0.2);
  await page.getByRole('button', { name: 'Reject change 1' }).click();
  await expect(page.getByTestId('write-approve')).toHaveText('Approve 2 of 3');
  await touch(page);
  await expect(page.getByTestId('renewed')).toBeVisible();
  await expect(page.getByTestId('where')).toHaveText('Change 1 of 3');
  await expect(page.getByTestId('write-approve')).toHaveText('Approve the new difference');
  await page.getByTestId('write-approve').click();
  await expect(box(page)).toHaveAttribute('data-stage', 'written');
});

test('W6: who looks elsewhere is shown the difference that was made anew', async ({ page, open }) => {
  await open('write-renewing');
  await page.getByTestId('close-diff').click();
  await expect(page.getByTestId('write-approve')).toHaveText('Approve');
  await touch(page);
  await expect(page.getByTestId('renewed')).toBeVisible();
  await expect(page.getByTestId('write-approve')).toHaveText('Approve the new difference');
  await expect(page.getByTestId('rows')).toContainText('"Renard"');
});

test('W6: neither a key that is held nor the second click of two approves what came meanwhile', async ({
  page,
  open,
}) => {
  await open('write-renewing');
  await expect(page.getByTestId('hunk')).toHaveCount(3);
  await touch(page);
  await expect(page.getByTestId('write-approve')).toHaveText('Approve the new difference');
  await page.getByTestId('write-approve').dispatchEvent('click', { detail: 2 });
  await pane(page).dispatchEvent('keydown', { key: 'Enter', ctrlKey: true, repeat: true, bubbles: true });
  await expect(words(page)).toHaveText('Waiting for your approval');
  await page.keyboard.press('Control+d');
  await expect(page.getByTestId('write-approve')).toBeEnabled();
  await page.keyboard.press('Control+Enter');
  await expect(box(page)).toHaveAttribute('data-stage', 'written');
});

test('a decision outlives a look at another write and a preview that could not be had', async ({ page, open }) => {
  await open('write-flaky');
  await page.getByRole('button', { name: 'Reject change 1' }).click();
  await touch(page);
  await expect(pane(page).getByTestId('error-card')).toContainText('The store did not answer.');
  await expect(page.getByTestId('write-approve')).toHaveText('Approve 2 of 3');
  await pane(page).getByRole('button', { name: 'Show it again' }).click();
  await expect(page.getByTestId('where')).toHaveText('Change 1 of 3, 1 change rejected');
});

test('W6: a difference that the core made anew says so', async ({ page, open }) => {
  await open('write-renewed');
  await expect(page.getByTestId('renewed')).toBeVisible();
  await expect(page.getByTestId('rows')).toContainText('"Renard"');
});

test('A3: an approval that came too late says so where it was given', async ({ page, open }) => {
  await open('write-stale');
  await page.getByTestId('write-approve').click();
  await expect(pane(page).getByTestId('error-card')).toContainText('This is not what is proposed any more.');
  await expect(words(page)).toHaveText('Waiting for your approval');
  await pane(page).getByRole('button', { name: 'Show it again' }).click();
  await expect(pane(page).getByTestId('error-card')).toHaveCount(0);
});

test('W7: a write is undone, and what cannot be undone says why', async ({ page, open }) => {
  await open('write-done');
  await page.getByTestId('undo').click();
  await expect(box(page)).toContainText('undone');
  await expect(page.getByTestId('undo')).toHaveCount(0);
  await page.reload();
  await page.getByTestId('undo').click();
  await expect(box(page)).toContainText('undone');
});

test('W7: what was undone before the window opened says so, and cannot be undone again', async ({ page, open }) => {
  await open('write-undone');
  await expect(box(page)).toContainText('undone');
  await expect(page.getByTestId('undo')).toHaveCount(0);
});

test('W7: a write is not offered for undo once its file is known to be another', async ({ page, open }) => {
  await open('write-done');
  await page.getByTestId('review').click();
  await expect(page.getByTestId('undo')).toBeVisible();
  await touch(page);
  await expect(page.getByTestId('undo')).toHaveCount(0);
  await expect(box(page)).toContainText('written');
});

test('an error of the disk sits with the file it is about', async ({ page, open }) => {
  await open('write-failed');
  await expect(box(page).getByTestId('error-card')).toContainText('The disk is full: src/fox.rs is as it was.');
  await expect(box(page).getByTestId('error-card')).toContainText('Make room, then ask for it again.');
});

test('A5: after a restart the preview is there again, and can be approved', async ({ page, open }) => {
  await open('write-waiting', 0.2);
  await expect(words(page)).toHaveText('Waiting for your approval');
  await expect(page.getByTestId('hunk')).toHaveCount(3);
  await page.getByTestId('write-approve').click();
  await expect(words(page)).toHaveText('Answered');
});

test('A5, W7: a file that was on its way goes on where it was', async ({ page, open }) => {
  await open('write-interrupted', 0.1);
  await expect(words(page)).toHaveText('Interrupted');
  await expect(box(page)).toContainText('not finished');
  await page.getByTestId('resume').click();
  await expect(words(page)).toHaveText('Waiting for your approval');
  await expect(pane(page)).toContainText('docs/guide.md');
  await expect(page.getByTestId('row').first()).toBeVisible();
});

test('what waits for a word is not lost to Esc', async ({ page, open }) => {
  await open('write-ready');
  await expect(page.getByTestId('hunk')).toHaveCount(3);
  await page.keyboard.press('Escape');
  await expect(words(page)).toHaveText('Waiting for your approval');
  await page.getByTestId('stop').click();
  await expect(words(page)).toHaveText('Stopped');
  await expect(box(page)).toContainText('not finished · nothing written');
});

test('the difference takes the whole centre and gives it back, and two columns stand beside each other', async ({
  page,
  open,
}) => {
  await open('write-ready');
  await page.getByTestId('wide').click();
  await expect(page.getByRole('region', { name: 'Conversation' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Side by side' }).click();
  const changed = page.getByTestId('split-row').filter({ hasText: 'self.hunger > 10' });
  await expect(changed.locator('[data-side=old]')).toContainText('if self.hunger > 10 {');
  await expect(changed.locator('[data-side=new]')).toContainText('if self.hunger > self.patience {');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('region', { name: 'Conversation' })).toBeVisible();
  await page.reload();
  await expect(page.getByTestId('split-row').first()).toBeVisible();
  await expect(page.getByRole('region', { name: 'Conversation' })).toHaveCount(0);
});

test('a chat that is deleted takes its preview along', async ({ page, open }) => {
  await open('write-done');
  await page.getByTestId('review').click();
  await page.getByTestId('wide').click();
  await expect(page.getByRole('main').getByTestId('diff-pane')).toBeVisible();
  const first = page.getByTestId('session-item').first();
  await first.hover();
  await first.getByRole('button', { name: /^Actions for/ }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByRole('heading', { name: 'Ask about foxes' })).toBeVisible();
  await expect(page.getByRole('main').getByTestId('diff-pane')).toHaveCount(0);
  await expect(page.getByTestId('composer')).toBeFocused();
});

test('no chord acts behind a dialog', async ({ page, open }) => {
  await open('write-ready');
  const first = page.getByTestId('session-item').first();
  await first.hover();
  await first.getByRole('button', { name: /^Actions for/ }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const question = page.getByRole('alertdialog', { name: 'Delete this session?' });
  await expect(question).toBeVisible();
  await page.getByRole('alertdialog').focus();
  for (const chord of ['Enter', 'n', 'k', ',', 'b']) await page.keyboard.press(`Control+${chord}`);
  await page.keyboard.press('?');
  await expect(page.getByRole('alertdialog')).toHaveCount(1);
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.keyboard.press('Escape');
  await expect(question).toHaveCount(0);
  await expect(words(page)).toHaveText('Waiting for your approval');
  await page.keyboard.press('Control+,');
  for (const chord of ['n', 'o', 'd', 'b', 'j', 'Enter']) await page.keyboard.press(`Control+${chord}`);
  await page.keyboard.press('Control+k');
  await expect(page.getByTestId('palette')).toBeVisible();
  await page.keyboard.press('Control+k');
  await expect(page.getByTestId('palette')).toHaveCount(0);
  await expect(page.getByRole('navigation')).toBeVisible();
  await expect(page.getByTestId('hunk')).toHaveCount(3);
  await expect(words(page)).toHaveText('Waiting for your approval');
});

test('two columns that could not be had are there at the second try', async ({ page, open }) => {
  await open('write-torn');
  await page.getByRole('button', { name: 'Side by side' }).click();
  await expect(pane(page).getByTestId('error-card')).toContainText('The store did not answer.');
  await pane(page).getByRole('button', { name: 'Show it again' }).click();
  await expect(pane(page).getByTestId('error-card')).toHaveCount(0);
  await expect(page.getByTestId('split-row').filter({ hasText: 'self.hunger > 10' }).first()).toBeVisible();
});

test('unchanged lines are folded and open where they are', async ({ page, open }) => {
  await open('write-ready');
  await page.getByRole('button', { name: '⋯ 10 unchanged lines' }).click();
  await expect(page.getByRole('button', { name: '⋯ 10 unchanged lines' })).toHaveCount(0);
  await expect(page.getByTestId('rows')).toContainText('What other foxes hear when this one calls.');
});

test('the palette knows what can be done about a write', async ({ page, open }) => {
  await open('write-ready', 0.2);
  await expect(words(page)).toHaveText('Waiting for your approval');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('reject the write');
  await page.keyboard.press('Enter');
  await expect(words(page)).toHaveText('Answered');
  await expect(box(page)).toContainText('rejected · nothing written');
});

test('the preview is reached from the composer with one chord', async ({ page, open }) => {
  await open('write-ready');
  await expect(page.getByTestId('composer')).toBeFocused();
  await expect(page.getByTestId('hunk').first()).toBeVisible();
  await page.keyboard.press('Control+d');
  await expect(pane(page)).toBeFocused();
  await page.keyboard.press('x');
  await expect(hunk(page, 1)).toHaveAttribute('data-rejected', 'true');
});

test.describe('narrow', () => {
  test.use({ viewport: { width: 800, height: 600 } });

  test('the preview does not take the place of a message that is being written', async ({ page, open }) => {
    // At its own pace: the message is begun before the proposal is there.
    await open('write-live');
    await send(page, 'Take the patience of a fox from the configuration.');
    await page.keyboard.type('Next, a fo');
    await expect(words(page)).toHaveText('Waiting for your approval');
    await page.keyboard.type('x');
    await expect(page.getByTestId('composer')).toHaveValue('Next, a fox');
    await expect(page.getByTestId('where')).toHaveText('Change 1 of 3');
  });

  test('the preview leaves the conversation in view, and goes when the word was said', async ({ page, open }) => {
    await open('write-ready', 0.2);
    await expect(page.getByTestId('hunk').first()).toBeVisible();
    const conversation = await page.getByRole('region', { name: 'Conversation' }).boundingBox();
    expect(conversation?.height).toBeGreaterThan(60);
    await page.getByTestId('write-approve').click();
    await expect(pane(page)).toHaveCount(0);
    await expect(words(page)).toHaveText('Answered');
  });
});

test('a turn that wrote has its undo below the answer, which goes once it is done', async ({ page, open }) => {
  await open('checks-proposed');
  const undo = page.getByTestId('undo-turn');
  await expect(undo).toHaveText('Undo 1 file');
  await undo.click();
  await expect(undo).toHaveCount(0);
  await expect(page.getByTestId('write-box')).toContainText('undone');
});
