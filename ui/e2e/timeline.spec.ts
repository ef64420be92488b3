// The timeline of a turn: what took long, and why.

import { expect, longestInFloors, test, unfold } from './window';

test.use({ panel: true });

/** The most that the page may work in one go while a person looks closer, in floors. It takes 0.04, a frame. */
const FRAMES = 0.3;

const rows = 'timeline-row';

test('a stranger reads what took long and why, and where the person was waited for', async ({ page, open }) => {
  await open('traced');
  await expect(page.getByTestId('spent')).toContainText('9.1 s of work, 4 min waiting for you');
  await expect(page.getByTestId('longest')).toHaveText(
    'Longest: the model call of step 2, 4.2 s, 2.3 s of it trying again after an error',
  );
  await expect(page.getByTestId(rows)).toHaveCount(6);
  await expect(page.getByTestId(rows).nth(1)).toContainText('src/config.rs');
  await expect(page.getByTestId('timeline')).toContainText('not run again');
  await expect(page.locator('[data-testid=timeline-mark]')).toHaveCount(3);
  await page.getByTestId('longest').click();
  await expect(page.getByTestId('timeline-words')).toContainText(
    'Model call 2 · Step 2 · 4.2 s · failed try 310 ms, before the next try 2 s',
  );
});

test('by step each column is as wide; by time a wait is short, with its time on it', async ({ page, open }) => {
  await open('traced');
  const widths = () =>
    page
      .locator('[data-zone=head] [data-testid=timeline-bar][data-lane=waiting]')
      .evaluate((bar) => bar.getBoundingClientRect().width);
  await expect(page.locator('[data-zone=head]')).toContainText('4.2 s');
  await page.getByTestId('by-time').click();
  await expect(page.locator('[data-zone=head]')).toContainText('5 s');
  await expect.poll(async () => Math.abs((await widths()) - 60)).toBeLessThan(20);
  await expect(page.locator('[data-zone=head] .on')).toHaveText('4 min');
});

test('keys go through it, look closer and at all of it again', async ({ page, open }) => {
  await open('traced');
  const timeline = page.getByTestId('timeline');
  await expect(page.getByTestId('timeline-row').first()).toBeVisible();
  await timeline.focus();
  await expect(timeline).toBeFocused();
  await page.keyboard.press('j');
  await expect(page.getByTestId('timeline-words')).toContainText('Model call 1');
  await page.keyboard.press('ArrowDown');
  await expect(page.getByTestId('timeline-words')).toContainText('list_files .');
  await page.keyboard.press('k');
  await expect(page.getByTestId('timeline-words')).toContainText('Model call 1');
  await page.keyboard.press('End');
  await expect(page.getByTestId('timeline-words')).toContainText('Model call 7');
  await expect(page.getByTestId('minimap')).toHaveCount(0);
  await page.keyboard.press('+');
  await expect(page.getByTestId('minimap')).toBeVisible();
  await page.keyboard.press('0');
  await expect(page.getByTestId('minimap')).toHaveCount(0);
  await page.keyboard.press('s');
  await expect(page.getByTestId('by-time')).toHaveAttribute('aria-pressed', 'true');
});

test('the wheel on the axis looks closer, a drag along it chooses a stretch, and Fit shows all', async ({
  page,
  open,
}) => {
  await open('traced');
  const head = page.locator('[data-zone=head]');
  await expect(head).toContainText('4.2 s');
  const box = await head.boundingBox();
  if (!box) throw new Error('The head has no box.');
  await page.mouse.move(box.x + 60, box.y + 10);
  await page.mouse.wheel(0, -240);
  await expect(page.getByTestId('fit')).toBeVisible();
  await page.getByTestId('fit').click();
  await expect(page.getByTestId('fit')).toHaveCount(0);
  await page.mouse.move(box.x + 40, box.y + 10);
  await page.mouse.down();
  await page.mouse.move(box.x + 120, box.y + 10, { steps: 4 });
  await expect(page.getByTestId('cursor')).toBeVisible();
  await page.mouse.up();
  await expect(page.getByTestId('fit')).toBeVisible();
  await expect(page.getByTestId('minimap')).toBeVisible();
});

test('what is pointed at is lit in the chat and in the timeline, and a click goes there and back', async ({
  page,
  open,
}) => {
  await open('traced');
  const row = page.getByTestId(rows).nth(2);
  const box = page.locator('[data-place="call call-3"]');
  // A box that is folded away is stood for by its line, and pointing moves nothing in the chat.
  await row.hover();
  await expect(page.locator('[data-fold][data-lit]')).toHaveCount(1);
  await expect(box).toHaveCount(0);
  await unfold(page);
  await page.getByTestId(rows).nth(0).hover();
  await row.hover();
  await expect(box).toHaveAttribute('data-lit', '');
  await page.getByTestId(rows).nth(0).hover();
  await expect(box).not.toHaveAttribute('data-lit');
  await unfold(page);
  await page.locator('[data-place="call call-2"]').hover();
  await expect(page.getByTestId(rows).nth(1)).toHaveClass(/lit/);
  await page.locator('[data-place="call call-2"] [data-testid=tool-box-toggle]').click();
  await expect(page.getByTestId(rows).nth(1)).toHaveClass(/chosen/);
  await expect(page.getByTestId('inspector')).toHaveCount(0);

  // A click on a row opens the line that its box is folded into.
  await open('traced');
  await row.click();
  await expect(box).toBeInViewport();
  await expect(page.locator('[data-testid=fold][aria-expanded=true]')).toHaveCount(1);
});

test('a long turn mounts only the rows in view, and a click in the chat brings a row there', async ({ page, open }) => {
  await page.setViewportSize({ width: 1280, height: 640 });
  await open('traced-long');
  await expect(page.getByTestId('longest')).toContainText('the model call of step 13, 9.4 s');
  await expect(page.getByTestId(rows).first()).toBeVisible();
  expect(await page.getByTestId(rows).count()).toBeLessThan(26);
  await unfold(page);
  const last = page.locator('[data-place="call call-25"]');
  await last.scrollIntoViewIfNeeded();
  await last.getByTestId('tool-box-toggle').click();
  await expect(page.locator('[data-testid=timeline-row].chosen')).toBeInViewport();
  await page.getByTestId('timeline').focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('j');
  await expect(page.locator('[data-testid=timeline-row].chosen')).toBeInViewport();
  await expect(page.locator('[data-place="call call-1"]')).toBeInViewport();
});

test('over the whole window it is the same, and Escape closes it', async ({ page, open }) => {
  await open('traced');
  await page.getByTestId('trace-whole').click();
  const whole = page.getByTestId('trace-window');
  await expect(whole.getByTestId(rows)).toHaveCount(6);
  await expect(whole).toContainText('search_files');
  await page.keyboard.press('Escape');
  await expect(whole).toHaveCount(0);
  await expect(page.getByTestId(rows)).toHaveCount(6);
});

test('while a turn waits for a person, that grows', async ({ page, open }) => {
  await open('traced-waiting');
  // The preview opens by itself, so it is waited for.
  await expect(page.getByTestId('hunk').first()).toBeVisible();
  await page.getByRole('tab', { name: 'Trace' }).click();
  await expect(page.getByTestId('spent')).toContainText('waiting for you');
  await expect(page.locator('[data-zone=head] [data-testid=timeline-bar][data-lane=waiting]')).toHaveClass(/running/);
});

test('100,000 spans: only what is seen is there, and looking closer takes the page no longer than a frame or two', async ({
  page,
  open,
  browser,
}) => {
  await open('traced-many');
  const rows = page.getByTestId('timeline-row');
  await expect(rows.first()).toContainText('src/0/fox.rs');
  expect(await rows.count()).toBeLessThan(60);
  expect(await page.locator('[data-zone=head] *').count()).toBeLessThan(2_000);
  const timeline = page.getByTestId('timeline');
  await timeline.focus();
  await expect(timeline).toBeFocused();
  const longest = await longestInFloors(browser, page, 'looking closer', async () => {
    for (let press = 0; press < 8; press += 1) await page.keyboard.press('+');
    await expect(page.getByTestId('minimap')).toBeVisible();
    for (let press = 0; press < 8; press += 1) await page.keyboard.press('-');
    await expect(page.getByTestId('minimap')).toHaveCount(0);
  });
  expect(longest).toBeLessThan(FRAMES);
  await page.keyboard.press('End');
  await expect(page.locator('[data-testid=timeline-row].chosen')).toContainText('19999/fox.rs');
});
