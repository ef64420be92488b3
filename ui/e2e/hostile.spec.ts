// What strangers write, everywhere: each text of `hostileTexts` in each place of the window that shows a text of somebody else. Nothing runs, nothing is
// asked for, the window stays where it is, and a link opens only when a person presses it. The policy of the page is off, so that nothing but the window
// itself keeps the texts from what they try.

import type { Locator, Page } from '@playwright/test';
import { HOSTILE_TEXTS as TEXTS } from '../src/lib/backend/replay/hostileTexts';
import { showPanel } from './looks';
import { expect, test, turnTo, words } from './window';

/** Characters that hide, or that turn the direction of a text. */
const HIDES = /[\u200b-\u200f\u202a-\u202e\u2066-\u2069]/u;

/** What happened that no text may bring about. */
interface Watch {
  (): string[];
}

test.use({ bypassCSP: true });

function watch(page: Page): Watch {
  const seen: string[] = [];
  const own = /^http:\/\/127\.0\.0\.1:\d+\/(?:assets\/|favicon\.ico$|\?replay=)/;
  page.on('request', (request) => {
    const url = request.url();
    if (!own.test(url) && !url.startsWith('data:') && url !== 'about:srcdoc') seen.push(`asked for ${url}`);
  });
  page.on('dialog', (dialog) => void dialog.dismiss().then(() => seen.push(`said ${dialog.message()}`)));
  page.context().on('page', (other) => seen.push(`opened ${other.url()}`));
  page.on('download', (download) => seen.push(`saved ${download.url()}`));
  let times = 0;
  page.on(
    'framenavigated',
    (frame) => frame === page.mainFrame() && ++times > 1 && seen.push(`went to ${frame.url()}`),
  );
  return () => seen;
}

/** Elements and attributes in the page that come from nobody but a text. */
const foreign = (page: Page) =>
  page.evaluate(() => {
    const never =
      'object, embed, base, applet, marquee, frame, audio, video, template, a[href], form[action], meta[http-equiv], [formaction], [srcdoc]:not([sandbox]), [autofocus], [background], [poster]';
    const found: string[] = [];
    for (const element of document.querySelectorAll('*')) {
      const name = element.localName;
      const odd =
        element.matches(never) ||
        element instanceof HTMLUnknownElement ||
        name.includes('-') ||
        [...element.attributes].some(
          (attribute) =>
            /^on/i.test(attribute.name) ||
            (attribute.name === 'style' && /url\(|expression\(/i.test(attribute.value)) ||
            (/^(?:xlink:)?(?:href|src|srcset|action)$/.test(attribute.name) &&
              !/^(?:data:,$|data:image\/(?:png|jpeg|gif|webp);base64,|data:image\/svg\+xml;charset=utf-8,|#|\/assets\/|$)/.test(
                attribute.value,
              ) &&
              !attribute.value.startsWith(location.origin)),
        ) ||
        (['animate', 'set', 'use', 'image', 'foreignObject', 'script', 'style', 'a'].includes(name) &&
          element.namespaceURI === 'http://www.w3.org/2000/svg') ||
        (element.namespaceURI === 'http://www.w3.org/1998/Math/MathML' &&
          element.closest('[data-testid=formula]') === null) ||
        (name === 'iframe' && (element.getAttribute('sandbox') !== 'allow-scripts' || element.hasAttribute('src')));
      if (odd) found.push(element.outerHTML.slice(0, 200));
    }
    return found;
  });

async function untouched(page: Page, seen: Watch): Promise<void> {
  expect(await foreign(page)).toEqual([]);
  for (const frame of page.frames())
    expect(await frame.evaluate(() => ['__ran' in window, '__ran' in Object.prototype, window.name])).toEqual([
      false,
      false,
      '',
    ]);
  expect(seen()).toEqual([]);
}

/** What the window asked other programs to open. */
async function externals(page: Page): Promise<() => Promise<unknown[]>> {
  await page.evaluate(() => {
    const opened: unknown[] = [];
    Object.assign(window, { opened });
    window.addEventListener('orion:external', (event) => opened.push((event as CustomEvent).detail));
  });
  return () => page.evaluate(() => (window as unknown as { opened: unknown[] }).opened);
}

/** Goes through all that scrolls there, so that what is made only where it can be seen is made. */
async function through(place: Locator): Promise<void> {
  await place.evaluate(async (scroller) => {
    scroller.scrollTop = 0;
    for (let before = -1; scroller.scrollTop !== before;) {
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      before = scroller.scrollTop;
      scroller.scrollTop += scroller.clientHeight;
    }
  });
}

const conversation = (page: Page) => page.getByRole('region', { name: 'Conversation' });
const answer = (page: Page) => page.getByTestId('answer').last();

test('an answer: links, bare addresses, tables, tasks, footnotes, formulas, pictures, code', async ({ page, open }) => {
  const seen = watch(page);
  await open('everywhere-said');
  await expect(words(page)).toHaveText('Answered');
  const opened = await externals(page);
  await expect(answer(page).getByRole('table')).toHaveCount(TEXTS.length);
  for (const place of ['h6', 'blockquote', 'figure'])
    expect(await answer(page).locator(place).count()).toBe(TEXTS.length);
  await expect(answer(page).getByTestId('task')).toHaveCount(2 * TEXTS.length);
  await expect(answer(page).getByRole('region', { name: 'Footnotes' }).locator('li[data-note]')).toHaveCount(
    TEXTS.length,
  );
  // Formulas and pictures are drawn after the answer is there.
  for (const kind of ['formula', 'formula-source', 'picture', 'no-picture'])
    await expect.poll(() => answer(page).getByTestId(kind).count(), kind).toBeGreaterThan(TEXTS.length / 2);
  await through(conversation(page));
  await untouched(page, seen);
  // What a page does by itself opens nothing.
  await answer(page).evaluate((root) => {
    for (const one of root.querySelectorAll<HTMLElement>('[data-testid=link], [data-copy-link]')) {
      one.click();
      one.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
    }
  });
  const links = answer(page).getByTestId('link');
  const addresses = await links.evaluateAll((all) => all.map((link) => (link as HTMLElement).title));
  expect(addresses.length).toBeGreaterThan(2 * TEXTS.length);
  expect(addresses.filter((address) => !/^(?:https?:\/\/(?![^/]*@)|mailto:)/.test(address))).toEqual([]);
  expect(await opened()).toEqual([]);
  await links.first().click();
  await expect.poll(opened).toEqual([{ type: 'link', address: 'https://example.org/0' }]);
  await untouched(page, seen);
});

test('what an answer cites opens the viewer, and it shows a name, its lines and where they were found', async ({
  page,
  open,
}) => {
  const seen = watch(page);
  await open('everywhere-said');
  await expect(words(page)).toHaveText('Answered');
  await page.getByTestId('side-panel').click();
  await page.getByRole('tab', { name: 'Files' }).click();
  const files = page.getByRole('complementary').getByTitle(/^Open /);
  await expect(files.first()).toBeVisible();
  for (const index of [0, 3, 5]) {
    await files.nth(index).click();
    await expect(page.getByTestId('viewed-lines')).toContainText('<script>window.__ran=1</script>');
    await through(page.getByTestId('viewed-lines'));
    await untouched(page, seen);
    await page.keyboard.press('Control+f');
    await page.getByTestId('find-text').fill('<img src=x onerror');
    await expect(page.getByTestId('find-place')).toHaveText(/ of /);
    await untouched(page, seen);
    await page.getByRole('button', { name: 'Back to the files' }).click();
  }
});

test('diagrams: their sources, and what is drawn of them', async ({ page, open }) => {
  const seen = watch(page);
  await open('everywhere-drawn');
  await expect(words(page)).toHaveText('Answered');
  const all = answer(page).getByTestId('diagram');
  await expect(all).toHaveCount(2 * TEXTS.length + 1);
  // They are drawn in the order in which they are seen, and a chat begins at its end.
  await all.evaluateAll(async (diagrams) => {
    for (const diagram of diagrams.toReversed()) {
      let isSeen = false;
      const watching = new IntersectionObserver(
        (entries) => (isSeen ||= entries.some((entry) => entry.isIntersecting)),
      );
      watching.observe(diagram);
      while (!isSeen) {
        diagram.scrollIntoView({ block: 'center' });
        await new Promise(requestAnimationFrame);
      }
      watching.disconnect();
    }
  });
  await expect(all.first().getByRole('img')).toBeVisible();
  // They are pictures, in which nothing runs and from which nothing is asked for. What could is not even in them.
  const drawings = await answer(page)
    .locator('img')
    .evaluateAll((images) =>
      images.map((image) => {
        const { src } = image as HTMLImageElement;
        if (!src.startsWith('data:image/svg+xml;charset=utf-8,%3Csvg')) return src.slice(0, 100);
        const drawing = new DOMParser().parseFromString(
          decodeURIComponent(src.slice(src.indexOf(',') + 1)),
          'image/svg+xml',
        );
        const acts = (element: Element) =>
          [...element.attributes].some(
            ({ name, value }) =>
              /^on/i.test(name) || (/href$/.test(name) && /^\s*(?:javascript|data|vbscript):/i.test(value)),
          );
        return [...drawing.querySelectorAll('*')]
          .filter(
            (element) =>
              /^(?:script|foreignObject|image|iframe|use|parsererror)$/.test(element.localName) || acts(element),
          )
          .map((element) => element.outerHTML.slice(0, 100))
          .join();
      }),
    );
  expect(drawings.length).toBeGreaterThan(TEXTS.length / 2);
  expect(drawings.filter((odd) => odd !== '')).toEqual([]);
  await untouched(page, seen);
});

test('steps: files that came along, calls, results, reasons, notices and errors', async ({ page, open }) => {
  const seen = watch(page);
  await open('everywhere-done');
  await expect(words(page)).not.toHaveText('');
  await expect(page.getByTestId('attached').last().getByRole('listitem')).toHaveCount(TEXTS.length);
  expect(await page.getByTestId('attached').last().innerText()).not.toMatch(HIDES);
  await page.evaluate(async () => {
    for (let times = 0; times < 4; times++) {
      for (const fold of document.querySelectorAll<HTMLElement>(
        'main button[aria-expanded=false]:not([aria-haspopup])',
      ))
        fold.click();
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  });
  await expect(page.getByTestId('tool-result').first()).toBeAttached();
  await through(conversation(page));
  await untouched(page, seen);
});

test('the trace: its timeline, its list, and the details of each entry', async ({ page, open }) => {
  const seen = watch(page);
  await open('everywhere-done');
  await expect(page.getByTestId('attached')).toBeVisible();
  await showPanel(page, 'Trace');
  await expect(page.getByTestId('timeline-row').first()).toBeVisible();
  await untouched(page, seen);
  await page.getByTestId('as-list').click();
  const list = page.getByTestId('trace-list');
  await page.getByTestId('trace-search').fill('ran');
  await expect(page.getByTestId('trace-row').first()).toContainText('ran');
  await list.focus();
  const inspector = page.getByTestId('inspector');
  const entries = Number((await page.getByText(/^\d+ entries of/).textContent())?.split(' ')[0]);
  expect(entries).toBeGreaterThan(TEXTS.length);
  for (let entry = 0; entry < entries; entry += 3) {
    await page.keyboard.press('Space');
    await expect(inspector).toBeVisible();
    expect(await foreign(page)).toEqual([]);
    for (let times = 0; times < 3; times++) await page.keyboard.press('j');
  }
  for (const details of await inspector.locator('summary').all()) await details.click();
  await untouched(page, seen);
});

test('figures, and two turns side by side', async ({ page, open }) => {
  const seen = watch(page);
  await open('everywhere-compared');
  await expect(page.getByTestId('attached').last()).toBeVisible();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('Figures');
  await page.keyboard.press('Enter');
  const turns = page.getByTestId('figures-turns');
  await expect(turns).toBeVisible();
  await page.getByTestId('scope-project').click();
  await expect(turns).toHaveAttribute('aria-rowcount', '501');
  await through(turns);
  await untouched(page, seen);
  await turns.focus();
  for (const key of ['Home', ' ', 'j', ' ', 'c']) await page.keyboard.press(key);
  await expect(page.getByTestId('compared-words')).not.toHaveText('');
  await expect(page.getByTestId('compared-steps')).toContainText('<script>window.__ran=1</script>');
  await untouched(page, seen);
});

for (const [scene, testid] of [
  ['everywhere-asked', 'question-card'],
  ['everywhere-allowed', 'approval'],
  ['everywhere-written', 'write-box'],
] as const) {
  test(`what a turn waits for: ${testid}`, async ({ page, open }) => {
    const seen = watch(page);
    await open(scene);
    const card = page.getByTestId(testid);
    await expect(card).toBeVisible();
    await expect(card).toContainText('onerror=');
    if (testid === 'write-box') {
      await page.keyboard.press('Control+d');
      await expect(page.getByTestId('rows')).toContainText('<script>window.__ran=1</script>');
      for (const fold of await page.getByTestId('findings').locator('summary, button[aria-expanded=false]').all())
        await fold.click();
      await through(page.getByTestId('rows'));
    }
    await untouched(page, seen);
  });
}

test('a command: its line, what is told of it, and all that it wrote', async ({ page, open }) => {
  const seen = watch(page);
  await open('everywhere-command');
  const card = page.getByTestId('approval');
  for (const place of ['command-line', 'reason-given', 'gaps', 'reads', 'asks-since'])
    await expect.poll(() => card.getByTestId(place).textContent(), place).not.toMatch(HIDES);
  await untouched(page, seen);
  await open('everywhere-ran');
  await page.getByTestId('tool-box-toggle').click();
  for (const place of ['command-line', 'command-end', 'left'])
    await expect.poll(() => page.getByTestId(place).textContent(), place).not.toMatch(HIDES);
  await page.getByTestId('all-output').click();
  await expect(page.getByTestId('output-lines')).toContainText('<script>window.__ran=1</script>');
  await through(page.getByTestId('output-lines'));
  await expect.poll(() => page.getByTestId('output-lines').textContent()).not.toMatch(HIDES);
});

test('the list of sessions and projects, the palette, and what it finds', async ({ page, open }) => {
  const seen = watch(page);
  await open('everywhere');
  const titles = page.getByTestId('session-item');
  await expect(titles).toHaveCount(TEXTS.length + 1);
  await expect(page.getByTestId('project-item')).toHaveCount(TEXTS.length + 1);
  await titles.nth(4).click({ button: 'right' });
  await expect(page.getByRole('menu')).toBeVisible();
  await untouched(page, seen);
  await page.keyboard.press('Escape');
  await titles.nth(4).dblclick();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('onerror=');
  await untouched(page, seen);
  await page.keyboard.press('Control+k');
  const palette = page.getByTestId('palette');
  await expect(palette.getByRole('combobox')).toBeFocused();
  // It shows twenty hits at once.
  for (let from = 0; from < TEXTS.length; from += 20) {
    await palette.getByRole('combobox').fill(`number ${from}`);
    const hits = palette.getByTestId('found');
    await expect(hits).toHaveCount(Math.min(20, TEXTS.length - from));
    await untouched(page, seen);
  }
  await palette.getByRole('combobox').fill('<img src=x');
  await expect(palette.getByRole('option').first()).toContainText('<img src=x');
  await untouched(page, seen);
});

test('the bar that finds: what is typed, and what it marks', async ({ page, open }) => {
  const seen = watch(page);
  await open('everywhere-said');
  await expect(words(page)).toHaveText('Answered');
  await page.keyboard.press('Control+f');
  for (const text of [
    '<img src=x onerror=window.__ran=1>',
    '"><img src=x',
    'javascript:window.__ran=1',
    '__proto__',
    '\u202egnp',
  ]) {
    await page.getByTestId('find-text').fill(text);
    await expect(page.getByTestId('find-place')).toHaveText(/ of /);
    await page.keyboard.press('Enter');
    await untouched(page, seen);
  }
});

test('writing a message: commands, prompts, names of files, models, earlier messages', async ({ page, open }) => {
  const seen = watch(page);
  await open('everywhere');
  const composer = page.getByTestId('composer');
  await composer.fill('/');
  await expect(page.getByTestId('slash').getByRole('option').filter({ hasText: '<script>' }).first()).toBeAttached();
  await untouched(page, seen);
  await composer.fill('Read @');
  const names = page.getByTestId('at-list').getByRole('option');
  await expect(names.first()).toContainText('script>');
  await untouched(page, seen);
  await composer.press('Enter');
  await expect(page.getByTestId('named-files').getByRole('listitem')).toHaveCount(TEXTS.length);
  expect(await page.getByTestId('named-files').innerText()).not.toMatch(HIDES);
  await untouched(page, seen);
  await composer.fill('');
  await composer.press('ArrowUp');
  await expect(composer).not.toHaveValue('');
  await page.getByRole('button', { name: /^Model:/ }).click();
  await expect(page.locator('datalist option')).toHaveCount(TEXTS.length);
  await untouched(page, seen);
});

test('settings, from files, endpoints and tools', async ({ page, open }) => {
  const seen = watch(page);
  await open('everywhere-set');
  await expect(page.getByTestId('composer')).toBeFocused();
  await page.keyboard.press('Control+,');
  const dialog = page.getByTestId('settings-dialog');
  await expect(dialog.getByTestId('error-card')).toHaveCount(2 * TEXTS.length);
  for (const name of ['Models', 'Limits', 'Permissions', 'Appearance', 'Keys', 'Storage', 'Project']) {
    await turnTo(page, name);
    await dialog.evaluate((all) => all.querySelectorAll('details').forEach((details) => (details.open = true)));
    await untouched(page, seen);
  }
  await dialog.getByTestId('settings-search').fill('<img');
  await untouched(page, seen);
});

test('the report of this computer, from programs, settings and servers', async ({ page, open }) => {
  const seen = watch(page);
  await open('everywhere');
  await page.getByTestId('composer').fill('/doctor');
  await page.getByTestId('composer').press('Enter');
  await expect(page.getByTestId('trouble')).toHaveCount(TEXTS.length);
  await untouched(page, seen);
});

test('what is suggested for a folder', async ({ page, open }) => {
  const seen = watch(page);
  await open('everywhere');
  await page.getByTestId('project-item').nth(4).click();
  await expect(page.getByRole('list', { name: 'First messages' }).getByRole('listitem')).toHaveText(TEXTS.slice(0, 3));
  await expect(page.getByRole('heading', { level: 1 })).toContainText('<img src=x');
  await untouched(page, seen);
});

test('characters that turn or hide the name of a file are told by their numbers', async ({ page, open }) => {
  const name = 'src/⟨U+202E⟩gnp.exe⟨U+202C⟩';
  await open('everywhere');
  await expect(page.getByRole('treeitem', { name })).toHaveText(new RegExp('^src/⟨U'));
  await page.getByTestId('composer').fill('@exe');
  await expect(page.getByRole('option', { name })).toContainText('⟨U+202E⟩gnp.exe');
  await showPanel(page, 'Files');
  await page.getByLabel('Filter files').fill('exe');
  await page.getByTitle(`Open ${name}`).click();
  await expect(page.getByRole('heading', { level: 2, name })).toBeVisible();
});
