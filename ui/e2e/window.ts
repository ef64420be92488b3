// Opens the window on a scene of the replaying backend. A test fails when the page logged an error or broke its walls.

import { type Browser, type ConsoleMessage, test as base, expect, type Locator, type Page } from '@playwright/test';

// A slow machine, to find the tests that press a key before the window is ready for it: how many times slower the page runs,
// and how many milliseconds late the core answers.
const SLOWER = Number(process.env['ORION_SLOWER'] ?? 1);
const LATE = Number(process.env['ORION_LATE'] ?? 0);

interface Fixtures {
  open: (scene: string, pace?: number, lateMs?: number) => Promise<void>;
  /** The person left the side panel open last time. */
  panel: boolean;
}

export const test = base.extend<Fixtures>({
  panel: [false, { option: true }],
  open: async ({ page, panel }, use) => {
    const faults: string[] = [];
    const threw = (error: Error) => void faults.push(error.message);
    const logged = (message: ConsoleMessage) => {
      if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
    };
    page.on('pageerror', threw).on('console', logged);
    if (SLOWER > 1)
      await (await page.context().newCDPSession(page)).send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
    // As the real window does (`freezePrototype`), in itself and not in its frames: a library that changes it breaks there, so it is to break here.
    const scripts = [await page.addInitScript(() => void (self === top && Object.freeze(Object.prototype)))];
    if (panel)
      scripts.push(
        await page.addInitScript(
          () =>
            localStorage.getItem('orion.preferences') ?? localStorage.setItem('orion.preferences', '{"panel":true}'),
        ),
      );
    await use(async (scene, pace = 1, lateMs = LATE) => {
      await page.goto(`/?replay=${scene}&pace=${pace}&late=${lateMs}`);
      await expect(page.locator('main')).toBeVisible();
    });
    page.off('pageerror', threw).off('console', logged);
    // The page may be another test's afterwards.
    for (const script of scripts) await script.dispose();
    expect(faults).toEqual([]);
  },
});

export { expect };

/** Where the turn is, in words: those of the phase bar, and what is told of it where there is none. */
export const words = (page: Page) => page.getByTestId('state');

/** Opens the lines of the steps that are over, of which there are some. */
export async function unfold(page: Page): Promise<void> {
  await expect(page.getByTestId('fold').first()).toBeVisible();
  const closed = page.locator('[data-testid=fold][aria-expanded=false]');
  while ((await closed.count()) > 0) await closed.first().click();
}

/** Turns to a page of the settings: by its tab, or by the menu where there is little room. */
export async function turnTo(page: Page, name: string): Promise<void> {
  const dialog = page.getByTestId('settings-dialog');
  await expect(dialog).toBeVisible();
  const tab = dialog.getByRole('tab', { name });
  if (await tab.isVisible()) await tab.click();
  else await dialog.getByTestId('settings-pages').selectOption({ label: name });
  await expect(dialog.getByRole('heading', { name, level: 3 })).toBeVisible();
}

/** Somebody else changes the file that is written. */
export const touch = (page: Page) => page.evaluate(() => window.dispatchEvent(new Event('orion:touch')));

export async function send(page: Page, text: string): Promise<void> {
  await page.getByTestId('composer').fill(text);
  await page.getByTestId('composer').press('Enter');
}

/** Sends a message and waits for its answer: "Answered" alone may still be the message's before. */
export async function ask(page: Page, text: string): Promise<void> {
  const messages = page.getByRole('article');
  const before = await messages.count();
  await send(page, text);
  await expect(messages).toHaveCount(before + 1);
  await expect(words(page)).toHaveText('Answered');
}

/** Presses a button that copies, and waits until it says so: it says it for a moment, so every frame is looked at. */
export async function copyBy(button: Locator): Promise<void> {
  const element = await button.elementHandle();
  const said = button.page().waitForFunction((it) => it?.textContent?.trim() === 'Copied', element, { polling: 'raf' });
  await button.click();
  await said;
}

/** How far the conversation is from its end, in pixels. */
export function fromEnd(page: Page): Promise<number> {
  return page
    .getByRole('region', { name: 'Conversation' })
    .evaluate((region) => region.scrollHeight - region.clientHeight - region.scrollTop);
}

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  /** Microseconds of processor time. */
  tdur?: number;
  args: { name?: string };
}

/**
 * The longest that the page's thread works in one go while something happens, in milliseconds. Processor time and not the clock: a
 * machine under load holds up a page for reasons of its own.
 */
export async function longestTask(browser: Browser, page: Page, happen: () => Promise<void>): Promise<number> {
  await browser.startTracing(page, { categories: ['toplevel', '__metadata'] });
  await happen();
  // When this one runs, the last task before it has ended and is in the trace.
  await page.evaluate(() => undefined);
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  const threads = new Set(
    traceEvents.flatMap(({ name, args, pid, tid }) =>
      name === 'thread_name' && args.name === 'CrRendererMain' ? [`${pid} ${tid}`] : [],
    ),
  );
  const tasks = traceEvents.filter(
    ({ name, pid, tid }) => name === 'ThreadControllerImpl::RunTask' && threads.has(`${pid} ${tid}`),
  );
  return Math.max(0, ...tasks.map(({ tdur }) => (tdur ?? 0) / 1_000));
}

/**
 * The longest that the page's thread works in one go while something happens, in floors of the same page just before: machines differ by more than
 * a factor of two, and so does one machine from minute to minute.
 */
export async function longestInFloors(
  browser: Browser,
  page: Page,
  what: string,
  happen: () => Promise<void>,
): Promise<number> {
  const floor = await floorOf(browser, page);
  const longest = await longestTask(browser, page, happen);
  console.log(
    `${what}: the longest task takes ${longest.toFixed(1)} ms of processor time, ${(longest / floor).toFixed(2)} times the floor`,
  );
  return longest / floor;
}

/** Milliseconds of processor time that the page's thread takes for a fixed piece of a browser's own work. */
export function floorOf(browser: Browser, page: Page): Promise<number> {
  return longestTask(browser, page, () => page.evaluate(layOutTexts));
}

/** Two thousand texts of a drawing are laid out and measured, and taken away. */
function layOutTexts(): void {
  const drawing = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  document.body.append(drawing);
  for (let at = 0; at < 2_000; at += 1) {
    const text = document.createElementNS('http://www.w3.org/2000/svg', 'text');
    text.textContent = `A text of this drawing, the number ${at}`;
    drawing.append(text);
    text.getBBox();
  }
  drawing.remove();
}
