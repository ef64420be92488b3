// What is approved was seen (A3, W6): a button that approves comes disabled, and where no button was; lines that are cut are opened, or approved as
// unseen; and no key of another action approves.

import type { Locator, Page } from '@playwright/test';
import { expect, send, test, touch, words } from './window';

const approve = (page: Page) => page.getByTestId('write-approve');
const pane = (page: Page) => page.getByTestId('diff-pane');

/** Opens a scene with a clock that stands, and moves it by hand until this is there. */
async function standing(page: Page, open: () => Promise<void>, part: Locator): Promise<void> {
  const now = Date.UTC(2026, 2, 12, 13);
  await page.clock.install({ time: now });
  await page.clock.pauseAt(now + 1_000);
  const opened = open();
  await until(page, async () => (await part.count()) > 0);
  await opened;
}

/** Moves the clock on a little until something is the case. */
async function until(page: Page, is: () => Promise<boolean>): Promise<void> {
  for (;;) {
    // While a page is opened there is no clock to be moved.
    await page.clock.runFor(5).catch(() => {});
    if (await is().catch(() => false)) return;
  }
}

/** Disabled for the rest of its first 700 ms, and not for longer. Frames come every 16 ms of the page's clock. */
async function comes(page: Page, ...buttons: Locator[]): Promise<void> {
  await page.clock.runFor(660);
  for (const button of buttons) await expect(button).toBeDisabled();
  await page.clock.runFor(150);
  for (const button of buttons) await expect(button).toBeEnabled();
}

/** The same for a proposal in the place of another: its time begins when its rows are drawn, which the page's clock does not decide. */
async function comesDrawn(page: Page, button: Locator): Promise<void> {
  await page.clock.runFor(660);
  await expect(button).toBeDisabled();
  await until(page, () => button.isEnabled());
}

test('a write is approved at the earliest 700 ms after its button came', async ({ page, open }) => {
  await standing(page, () => open('write-ready'), approve(page));
  await expect(approve(page)).toBeDisabled();
  // Neither key nor click.
  await page.keyboard.press('Control+Enter');
  await approve(page).click({ force: true });
  await comes(page, approve(page));
  await expect(page.getByTestId('write-box')).toHaveAttribute('data-stage', 'proposed');
  await page.keyboard.press('Control+Enter');
  await page.clock.runFor(2_000);
  await expect(page.getByTestId('write-box')).toHaveAttribute('data-stage', 'written');
});

test('A3: with another proposal the time begins anew, also for an approval that is kept', async ({ page, open }) => {
  await standing(page, () => open('write-renewing'), approve(page));
  await page.getByTestId('more-answers').click();
  await comes(page, approve(page), page.getByTestId('keep-session'), page.getByTestId('keep-project'));
  await touch(page);
  await until(page, async () => (await page.getByTestId('renewed').count()) > 0);
  await expect(approve(page)).toBeDisabled();
  await comesDrawn(page, approve(page));
  // One that comes back after the person had rejected all there was is one that comes, too.
  await page.getByTestId('reject-all').click();
  await expect(approve(page)).toHaveCount(0);
  await page.getByTestId('accept-all').click();
  await expect(approve(page)).toBeDisabled();
  await comesDrawn(page, approve(page));
});

for (const [scene, parts] of Object.entries({
  approval: ['approve'],
  paused: ['pause-resume'],
  'write-repeats': ['repeats-go_on', 'repeats-keep_one', 'repeats-discard'],
})) {
  test(`what answers in the scene ${scene} comes disabled, too`, async ({ page, open }) => {
    const buttons = parts.map((part) => page.getByTestId(part));
    await standing(page, () => open(scene), buttons[0] as Locator);
    for (const button of buttons) await expect(button).toBeDisabled();
    await page.keyboard.press('Control+Enter');
    await comes(page, ...buttons);
  });
}

test('A3: what is in the menu of a question comes disabled when it is opened', async ({ page, open }) => {
  await standing(page, () => open('approval'), page.getByTestId('approve'));
  await comes(page, page.getByTestId('approve'));
  await page.getByTestId('more-answers').click();
  await comes(page, page.getByTestId('keep-session'), page.getByTestId('keep-project'));
});

test('A8: questions are answered at the earliest 700 ms after they came, and then by the keys of the primary action, too', async ({
  page,
  open,
}) => {
  const answer = page.getByTestId('answer-questions');
  await standing(page, () => open('questions'), answer);
  const card = page.getByTestId('question-card');
  for (const choice of await card.getByTestId('question').all())
    if ((await choice.getByRole('radio').count()) > 0) await choice.getByRole('radio').first().check();
  for (const field of await card.getByTestId('own-words').all()) await field.fill('Whatever else there is');
  await comes(page, answer);
  await card.getByTestId('own-words').last().press('Control+Enter');
  await page.clock.runFor(2_000);
  await expect(card).toHaveCount(0);
});

test('W6: nothing is approved before its first rows are drawn', async ({ page, open }) => {
  await page.clock.install();
  await open('write-torn');
  await expect(pane(page).getByTestId('error-card')).toContainText('The store did not answer.');
  await page.clock.runFor(5_000);
  await expect(approve(page)).toBeDisabled();
  await page.keyboard.press('Control+Enter');
  await pane(page).getByRole('button', { name: 'Show it again' }).click();
  await page.clock.runFor(1_000);
  await expect(approve(page)).toBeEnabled();
  await expect(words(page)).toHaveText('Waiting for your approval');
});

test('W6: beside what the person types the preview comes all the same, and is approved once it was seen', async ({
  page,
  open,
}) => {
  await page.setViewportSize({ width: 800, height: 600 });
  await page.clock.install();
  await open('write-live');
  await send(page, 'Take the patience of a fox from the configuration.');
  await page.keyboard.type('Next, a fox');
  await expect(words(page)).toHaveText('Waiting for your approval');
  await page.clock.runFor(5_000);
  await page.clock.runFor(1_000);
  await expect(approve(page)).toBeEnabled();
});

interface Place {
  name: string;
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Where buttons are that a person may be about to press: those of the bar and of the message box. */
const places = (page: Page): Promise<Place[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('[data-testid=phase-bar] :is(button, label), form.composer button')].map(
      (it) => {
        const { left, top, right, bottom } = it.getBoundingClientRect();
        return { name: it.textContent?.trim() || (it.ariaLabel ?? ''), left, top, right, bottom };
      },
    ),
  );

for (const [width, height] of [
  [1280, 800],
  [1000, 700],
  [800, 600],
  [640, 480],
] as const) {
  test(`no button was where the one that approves comes, in a window of ${width} by ${height}`, async ({
    page,
    open,
  }) => {
    await page.setViewportSize({ width, height });
    for (const name of ['write-ready', 'write-hostile', 'write-cut', 'write-shrinks', 'write-renewed']) {
      // At the pace of the scene the file grows for a while.
      await open('write-streaming');
      await expect(page.getByTestId('pause')).toBeVisible();
      const before = await places(page);
      expect(before.map((place) => place.name)).toEqual(
        expect.arrayContaining(['Pause after tool', 'Pause', 'Stop Esc', 'Queue']),
      );
      await open(name, 0.2);
      await expect(approve(page)).toBeEnabled();
      const now = (await approve(page).boundingBox())!;
      const [right, bottom] = [now.x + now.width, now.y + now.height];
      expect(
        before.filter(
          (place) => place.left < right && place.right > now.x && place.top < bottom && place.bottom > now.y,
        ),
      ).toEqual([]);
    }
  });
}

test('Ctrl+Enter does nothing and says why while there is text in the message box; Alt+Enter gives the text to the turn and approves nothing', async ({
  page,
  open,
}) => {
  await open('write-ready', 0.2);
  await expect(approve(page)).toBeEnabled();
  const why = page.getByTestId('primary-held');
  await page.getByTestId('composer').fill('Only in src, please.');
  // From the message box, and from wherever else the keyboard is.
  for (const place of [page.getByTestId('composer'), page.getByRole('region', { name: 'Difference' })]) {
    await place.focus();
    await page.keyboard.press('Control+Enter');
    await expect(why).toContainText('Ctrl+Enter did nothing: there is text in the message box.');
    await expect(page.getByTestId('composer')).toHaveValue('Only in src, please.');
    await expect(page.getByTestId('steered')).toHaveCount(0);
    await expect(page.getByTestId('queue')).toHaveCount(0);
    await expect(words(page)).toHaveText('Waiting for your approval');
    // Another text, and it is said no more.
    await page.getByTestId('composer').press('End');
    await page.keyboard.type('!');
    await expect(why).toHaveCount(0);
    await page.keyboard.press('Backspace');
  }
  await page.getByTestId('composer').press('Alt+Enter');
  await expect(page.getByTestId('steered')).toContainText('Only in src, please.');
  await expect(words(page)).toHaveText('Waiting for your approval');
  // Empty, the message box has nothing that it could have been meant for.
  await page.getByTestId('composer').press('Control+Enter');
  await expect(page.getByTestId('write-box')).toContainText('written');
});

test('Ctrl+Enter resumes what is paused, and sends where nothing waits', async ({ page, open }) => {
  await open('paused', 0.2);
  await expect(page.getByTestId('pause-resume')).toBeEnabled();
  await page.getByTestId('composer').press('Control+Enter');
  await expect(words(page)).toHaveText('Answered');
  await page.getByTestId('composer').fill('And then?');
  await page.getByTestId('composer').press('Control+Enter');
  await expect(page.getByTestId('asked').last()).toHaveText('And then?');
});

test('the list of shortcuts has one key for each action', async ({ page, open }) => {
  await open('finished');
  await page.getByRole('region', { name: 'Conversation' }).focus();
  await page.keyboard.press('?');
  const rows = page.getByRole('dialog', { name: 'Shortcuts' }).locator('dl > div');
  await expect(rows.filter({ hasText: 'CtrlEnter' })).toHaveText([
    'Approve, answer or resume what waits for you, else send the message CtrlEnter',
  ]);
  await expect(rows.filter({ hasText: 'AltEnter' })).toHaveText([
    'In the message box: give the message to the turn that runs AltEnter',
  ]);
});

test('W6: changed lines that are cut can be opened to their end, and until then they are approved as unseen, by no key', async ({
  page,
  open,
}) => {
  await open('write-cut', 0.2);
  await expect(approve(page)).toHaveText('Approve, 3 lines unseen');
  await expect(page.getByTestId('unseen')).toContainText('3 changed lines are not shown whole.');
  await expect(approve(page)).toBeEnabled();
  await page.keyboard.press('Control+Enter');
  await expect(page.getByTestId('keep')).toHaveCount(0);
  await page.getByTestId('show-unseen').click();
  await expect(approve(page)).toHaveText('Approve, 2 lines unseen');
  // What hides in the rest is a sign there, too.
  await page.getByTestId('show-unseen').click();
  await expect(page.locator('[data-testid=row][data-kind=added]').first()).toContainText('evil()})();');
  await expect(page.getByRole('img', { name: /^U\+202E changes the direction/ })).toHaveText('U+202E');
  await expect(approve(page)).toHaveText('Approve, 1 line unseen');
  // A line of 46,000 characters comes in pieces, and is seen at its end.
  await page.getByTestId('show-unseen').click();
  await expect(page.getByTestId('show-rest')).toContainText('Show 20,000 of');
  await expect(approve(page)).toHaveText('Approve, 1 line unseen');
  await page.getByTestId('show-rest').click();
  await expect(page.getByTestId('show-rest')).toHaveText(/Show 4,\d{3} more characters$/);
  await page.getByTestId('show-rest').click();
  await expect(page.getByTestId('unseen')).toHaveCount(0);
  await expect(approve(page)).toHaveText('Approve');
  await expect(words(page)).toHaveText('Waiting for your approval');
  await page.keyboard.press('Control+Enter');
  await expect(page.getByTestId('write-box')).toContainText('written');
});

test('W6: a line that is cut in a change that was rejected need not be seen', async ({ page, open }) => {
  await open('write-cut', 0.2);
  await expect(approve(page)).toHaveText('Approve, 3 lines unseen');
  await page.getByRole('button', { name: 'Reject change 1' }).click();
  await expect(approve(page)).toHaveText('Approve 1 of 2, 1 line unseen');
  await approve(page).click();
  await expect(page.getByTestId('write-box')).toContainText('1 of 2 changes');
});

test('W5: head and button say how much of a file an overwrite removes', async ({ page, open }) => {
  await open('write-shrinks', 0.2);
  await expect(page.getByTestId('head-shrinks')).toHaveText('removes 110 of 111 lines');
  await expect(approve(page)).toHaveText('Approve, removes 110 of 111 lines');
  await expect(page.getByTestId('fault')).toHaveCount(0);
  await approve(page).click();
  await expect(page.getByTestId('write-box')).toContainText('written');
});
