// Pictures of the project in an answer and in the viewer; those from elsewhere are never asked for.

import type { Locator, Page } from '@playwright/test';
import { expect, test } from './window';

const answer = (page: Page): Locator => page.getByTestId('answer').last();

/** Everything that the page and its frames ask for from elsewhere than the window itself. */
function requests(page: Page): () => string[] {
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  return () =>
    asked.filter(
      (url) => !url.startsWith(new URL(page.url()).origin) && !url.startsWith('data:') && url !== 'about:srcdoc',
    );
}

test('a picture of the project is shown, and opens in the viewer', async ({ page, open }) => {
  const elsewhere = requests(page);
  await open('rich');
  // Whether the other one is none, the core has yet to say.
  const picture = answer(page).getByTestId('picture').first();
  await picture.scrollIntoViewIfNeeded();
  const shown = picture.getByRole('img', { name: 'A den under a hill at dusk' });
  await expect
    .poll(() => shown.evaluate((image: HTMLImageElement) => [image.complete, image.naturalWidth, image.naturalHeight]))
    .toEqual([true, 240, 135]);
  expect(await shown.getAttribute('src')).toMatch(/^data:image\/png;base64,/);
  await expect(answer(page).getByTestId('no-picture')).toHaveText([
    '[image: a drawing, docs/den.svg]',
    '[image: a pixel, https://evil.example/pixel.png]',
  ]);
  await picture.press('Enter');
  await expect(page.getByTestId('viewed-picture')).toBeVisible();
  await expect(page.getByText('240 × 135 pixels')).toBeVisible();
  expect(elsewhere()).toEqual([]);
});
