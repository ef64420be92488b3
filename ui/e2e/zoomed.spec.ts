// The window at 200 % on a small screen: 640×400 pixels of CSS. Nothing scrolls sideways, no control is cut or covered, and a message can be written and sent.

import type { Page } from '@playwright/test';
import { type Reach, showPanel } from './looks';
import { test } from './kept';
import { expect, words } from './window';

test.use({ viewport: { width: 640, height: 400 }, contextOptions: { reducedMotion: 'reduce' } });

const answered: Reach = (page) => expect(words(page)).toHaveText('Answered');

/** `writes`: the message box is there. */
const STATES: Record<string, { scene: string; reach: Reach; writes: boolean }> = {
  empty: {
    scene: 'no-session',
    reach: (page) => expect(page.getByRole('list', { name: 'First messages' })).toBeVisible(),
    writes: true,
  },
  answer: { scene: 'finished', reach: answered, writes: true },
  running: { scene: 'streaming', reach: (page) => expect(words(page)).toHaveText(/Answering/), writes: true },
  approval: { scene: 'approval', reach: (page) => expect(page.getByTestId('approval')).toBeVisible(), writes: true },
  command: {
    scene: 'command-asked',
    reach: (page) => expect(page.getByTestId('approve')).toBeVisible(),
    writes: true,
  },
  questions: {
    scene: 'questions',
    reach: (page) => expect(page.getByTestId('question-card')).toBeVisible(),
    writes: true,
  },
  paused: { scene: 'paused', reach: (page) => expect(page.getByTestId('pause-resume')).toBeVisible(), writes: true },
  'first model': {
    scene: 'models-found',
    reach: (page) => expect(page.getByTestId('use-found')).toBeVisible(),
    writes: false,
  },
  rewind: {
    scene: 'rewind',
    reach: async (page) => {
      await page.getByRole('article').nth(1).getByRole('button', { name: 'Actions for the message' }).click();
      await page.getByRole('menuitem', { name: 'Rewind to here' }).click();
      await expect(page.getByTestId('rewound-files')).toBeVisible();
    },
    writes: false,
  },
  queue: {
    scene: 'queue-held',
    reach: (page) => expect(page.getByText('And where is it tested?')).toBeVisible(),
    writes: true,
  },
  'write preview': {
    scene: 'write-ready',
    reach: async (page) => {
      await expect(words(page)).toHaveText('Waiting for your approval');
      await page.keyboard.press('Control+d');
      await expect(page.getByTestId('row').first()).toBeVisible();
    },
    writes: false,
  },
  trace: {
    scene: 'traced',
    reach: async (page) => {
      await showPanel(page, 'Trace');
      await expect(page.getByTestId('timeline')).toBeVisible();
    },
    writes: false,
  },
  files: {
    scene: 'finished',
    reach: async (page) => {
      await showPanel(page, 'Files');
      await expect(page.getByText('src/config.rs').last()).toBeVisible();
    },
    writes: false,
  },
  sidebar: {
    scene: 'sidebar',
    reach: async (page) => {
      await answered(page);
      await page.getByRole('button', { name: 'Sidebar' }).click();
      await expect(page.getByTestId('session-item').first()).toBeVisible();
    },
    writes: false,
  },
  settings: {
    scene: 'finished',
    reach: async (page) => {
      await answered(page);
      await page.keyboard.press('Control+,');
      await expect(page.getByTestId('settings-dialog')).toBeVisible();
    },
    writes: false,
  },
  'about this computer': {
    scene: 'computer',
    reach: async (page) => {
      await answered(page);
      await page.getByTestId('composer').fill('/doctor');
      await page.getByTestId('composer').press('Enter');
      await expect(page.getByTestId('trouble')).toHaveCount(2);
    },
    writes: false,
  },
  palette: {
    scene: 'finished',
    reach: async (page) => {
      await answered(page);
      await page.keyboard.press('Control+k');
      await expect(page.getByTestId('palette').getByRole('option').first()).toBeVisible();
    },
    writes: false,
  },
  'find bar': {
    scene: 'finished',
    reach: async (page) => {
      await answered(page);
      await page.keyboard.press('Control+f');
      await expect(page.getByTestId('find-bar')).toBeVisible();
    },
    writes: true,
  },
};

/** Controls that cannot be brought into view, or are cut or covered there. */
const unreachable = (page: Page) =>
  page.evaluate(() => {
    // What lies over the rest of the window: a dialog, or a drawer.
    const top =
      [...document.querySelectorAll('[role=dialog], [role=alertdialog]')].at(-1) ??
      document.querySelector('.layout:has(> .scrim) > .side') ??
      document.body;
    const controls = [
      ...top.querySelectorAll<HTMLElement>(
        'button, input, textarea, select, summary, a[href], [role=tab], [role=option], [role=treeitem], [role=link]',
      ),
    ];
    return controls
      .filter(
        (control) =>
          control.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
          !control.closest('[inert], [aria-hidden=true], .visually-hidden') &&
          control.getBoundingClientRect().width > 1,
      )
      .flatMap((control) => {
        control.scrollIntoView({ block: 'nearest', inline: 'nearest' });
        const { left, right, top: above, bottom, width, height } = control.getBoundingClientRect();
        // A long one has its beginning in view.
        const fits =
          left >= -0.5 &&
          above >= -0.5 &&
          right <= innerWidth + 0.5 &&
          (bottom <= innerHeight + 0.5 || height > innerHeight / 2);
        const at = document.elementFromPoint(left + width / 2, above + Math.min(height, 20) / 2);
        const isSeen =
          at !== null &&
          (control.contains(at) || at.contains(control) || at.closest('label')?.contains(control) === true);
        return fits && isSeen
          ? []
          : [
              `${control.outerHTML.slice(0, 110)} ${[left, above, right, bottom].map(Math.round).join(' ')} ${fits ? `under ${at?.outerHTML.slice(0, 80)}` : ''}`,
            ];
      });
  });

for (const [name, { scene, reach, writes }] of Object.entries(STATES)) {
  test(`${name}: nothing scrolls sideways, and every control can be reached`, async ({ page, open }) => {
    await open(scene);
    await reach(page);
    const folder = process.env['ORION_SCREENSHOTS'];
    if (folder) await page.screenshot({ path: `${folder}/small-${name.replace(' ', '-')}.png` });
    expect(
      await page.evaluate(() => document.scrollingElement!.scrollWidth - document.scrollingElement!.clientWidth),
    ).toBe(0);
    expect(await unreachable(page)).toEqual([]);
    if (!writes) return;
    const composer = page.getByTestId('composer');
    await composer.fill('A message');
    await expect(composer).toBeInViewport({ ratio: 1 });
    const send = page.getByRole('button', { name: /^(?:Send|Queue)$/ });
    await expect(send).toBeInViewport({ ratio: 1 });
    await send.click({ trial: true });
  });
}
