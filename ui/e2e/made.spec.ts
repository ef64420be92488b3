// No text breaks the drawing of a conversation: addresses, formulas and Markdown that nobody wrote. `test` looks at 500 of them and 60 hostile texts, and
// at 10,000 and 1,200 where `ORION_SEARCH` is `whole`.

import { MADE } from '../src/lib/backend/replay/made';
import { test } from './kept';
import { expect } from './window';

const PAGES = process.env['ORION_SEARCH'] === 'whole' ? 100 : 5;
/** So many pages one after the other. */
const IN_A_ROW = 5;

test('a page has as many texts as is said here', () => {
  expect(MADE).toEqual({ addresses: 50, formulas: 50, texts: 12 });
});

for (let first = 1; first <= PAGES; first += IN_A_ROW) {
  test(`what nobody wrote is drawn, or shown as it is: pages ${first} to ${first + IN_A_ROW - 1}`, async ({
    page,
    open,
  }) => {
    for (let seed = first; seed < first + IN_A_ROW; seed++) {
      await open(`made&seed=${seed}`, 0.1);
      await expect(page.getByRole('article')).toHaveCount(2);
      await expect(page.getByTestId('answer').last()).toContainText(/./);
      await expect(page.getByTestId('undrawn')).toHaveCount(0);
      expect(await page.evaluate(() => '__ran' in window)).toBe(false);
    }
  });
}
