// Formulas and diagrams that are far too large stay their source, and those that are as dear as they may be hold up no frame for long.
//
// The bounds are known from the source alone (math.ts, diagrams.ts), so they hold on any machine; what a formula or a diagram within them takes does not.
// So it is measured in floors of the same run: on two cores that also built other things a diagram took 2.5 of them in its frame, source that
// is far too large 1.0 to 2.1, and a formula with its layout 0.2. What is caught here is work without a bound.

import type { Page } from '@playwright/test';
import { ask, expect, longestInFloors, test, words } from './window';

const answer = (page: Page) => page.getByTestId('answer').last();
/** Times the floor. */
const MOST = 8;

for (const scene of ['rich-large', 'diagrams-large']) {
  test(`a megabyte, and ten thousand levels: they come and stand there as their source, and hold up no frame, ${scene}`, async ({
    page,
    browser,
    open,
  }) => {
    await open(scene, 0.1);
    await expect(words(page)).toHaveText('Answered');
    const longest = await longestInFloors(browser, page, scene, async () => {
      await ask(page, 'Everything, please');
      await expect(answer(page)).toContainText('That was all.');
      for (const diagram of await answer(page).getByTestId('diagram').all()) await diagram.scrollIntoViewIfNeeded();
    });
    expect(longest).toBeLessThan(MOST);
    await expect(answer(page).locator('img')).toHaveCount(0);
    await expect(answer(page).getByTestId('formula')).toHaveCount(0);
    await expect(answer(page)).toContainText(scene === 'rich-large' ? '\\llap{\\llap{' : 'space:9999999');
  });
}

test('a formula as dear as one may be is drawn, and holds up no frame', async ({ page, browser, open }) => {
  await open('rich-dear', 0.1);
  await expect(words(page)).toHaveText('Answered');
  const longest = await longestInFloors(browser, page, 'dear formulas', async () => {
    await ask(page, 'Everything, please');
    await expect(answer(page).getByTestId('formula')).toHaveCount(10);
  });
  expect(longest).toBeLessThan(MOST);
});

test('a diagram as dear as one may be is drawn, and holds up no frame', async ({ page, browser, open }) => {
  await page.setViewportSize({ width: 1280, height: 8_000 });
  await open('diagrams-dear', 0.1);
  const all = answer(page).getByTestId('diagram');
  await expect(all).toHaveCount(10);
  const longest = await longestInFloors(browser, page, 'dear diagrams', async () => {
    for (const diagram of (await all.all()).reverse()) await diagram.scrollIntoViewIfNeeded();
    await expect(all.first().getByRole('img')).toBeVisible();
    // Wider or higher than a picture may be, some of them are not shown.
    await expect.poll(() => answer(page).locator('img').count()).toBeGreaterThan(5);
  });
  expect(longest).toBeLessThan(MOST);
});
