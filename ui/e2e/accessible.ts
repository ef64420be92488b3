// What keeps some people from using the page as it is now, by axe.

import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import axe, { type AxeResults } from 'axe-core';

/** Each fault as axe words it, in the page or in one part of it. */
export async function inaccessible(page: Page, part = 'html'): Promise<string[]> {
  // Into frames only the builder looks, which takes four times as long.
  const { violations } =
    page.frames().length > 1 ? await new AxeBuilder({ page }).include(part).analyze() : await looked(page, part);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}

async function looked(page: Page, part: string): Promise<AxeResults> {
  await page.evaluate(axe.source);
  return page.evaluate(
    (part) => (window as unknown as { axe: typeof axe }).axe.run(part, { resultTypes: ['violations'] }),
    part,
  );
}
