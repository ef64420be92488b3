// Files and images that a person adds to a message: picked, pasted or dropped, kept with the draft, sent, queued, sent again, and shown in
// the chat.

import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { fits } from './looks';
import { copyBy, expect, send, test, words } from './window';

/** A picture of 240 × 135 pixels. */
const PNG = Buffer.from(
  /'([\w+/=]{400,})'/u.exec(
    readFileSync(new URL('../src/lib/backend/replay/pictures.ts', import.meta.url), 'utf8'),
  )![1]!,
  'base64',
);
const image = (name: string) => ({ name, mimeType: 'image/png', buffer: PNG });
const text = (name: string, content = 'one\ntwo\n') => ({ name, mimeType: 'text/plain', buffer: Buffer.from(content) });

const chips = (page: Page) => page.getByTestId('attachments').getByRole('listitem');
const refused = (page: Page) => page.getByTestId('refused-file');
const composer = (page: Page) => page.getByTestId('composer');
const pick = (page: Page, ...files: { name: string; mimeType: string; buffer: Buffer }[]) =>
  page.getByTestId('add-files').setInputFiles(files);
/** Picks files, and waits until the core has them. */
async function add(...picked: Parameters<typeof pick>): Promise<void> {
  await pick(...picked);
  await expect(picked[0].locator('[data-state=coming]')).toHaveCount(0);
}
/** Names of the files that the core keeps with drafts. */
const kept = (page: Page) =>
  page.evaluate(() =>
    Object.entries({ ...sessionStorage })
      .filter(([key]) => key.startsWith('files '))
      .map(([key, files]) => [
        key.slice(6),
        ...(JSON.parse(String(files)) as { name: string }[]).map(({ name }) => name),
      ]),
  );

interface Carried {
  files?: { name: string; type: string; content: string }[];
  data?: Record<string, string>;
}

/** What a person does with the mouse or the keyboard, with files from outside: `content` is in base64. */
function happen(page: Page, on: string, events: readonly string[], { files = [], data = {} }: Carried): Promise<void> {
  return page.evaluate(
    ({ on, events, files, data }) => {
      const transfer = new DataTransfer();
      for (const { name, type, content } of files)
        transfer.items.add(new File([Uint8Array.from(atob(content), (unit) => unit.charCodeAt(0))], name, { type }));
      for (const [type, value] of Object.entries(data)) transfer.setData(type, value);
      for (const event of events) {
        const init = { bubbles: true, cancelable: true };
        const made =
          event === 'paste'
            ? new ClipboardEvent(event, { ...init, clipboardData: transfer })
            : new DragEvent(event, { ...init, dataTransfer: transfer });
        document.querySelector(on)!.dispatchEvent(made);
      }
    },
    { on, events, files, data },
  );
}
const FIELD = '[data-testid=composer]';
const shot = { name: 'shot.png', type: 'image/png', content: PNG.toString('base64') };

test('files are added by the button, go with the message, and are under it in the chat', async ({ page, open }) => {
  await open('attachments-new', 0.1);
  await expect(page.getByRole('button', { name: 'Add files' })).toBeVisible();
  await add(page, text('notes.txt'), image('den.png'));
  await expect(chips(page)).toHaveText([/notes\.txt\s*2 lines/, /den\.png\s*864 B/]);
  await expect(chips(page).nth(1).locator('img')).toHaveAttribute('src', /^data:image\/png;base64,/);
  // Files alone are no message.
  await expect(page.getByTestId('send')).toBeDisabled();
  await send(page, 'What is this?');
  await expect(chips(page)).toHaveCount(0);
  await expect(words(page)).toHaveText('Answered');
  const came = page.getByTestId('attached').getByRole('listitem');
  await expect(came).toHaveText([/notes\.txt\s*2 lines/, /den\.png\s*240 × 135/]);
  await expect.poll(() => kept(page)).toEqual([]);
  await came.first().getByRole('button').click();
  await expect(came.first()).toContainText('two');
  const shown = page.getByTestId('attachment-picture').getByRole('img', { name: 'den.png' });
  await expect
    .poll(() => shown.evaluate((it: HTMLImageElement) => [it.complete, it.naturalWidth, it.naturalHeight]))
    .toEqual([true, 240, 135]);
  await page.getByRole('button', { name: 'Show den.png large' }).click();
  await expect(page.getByRole('dialog', { name: 'den.png' }).getByRole('img', { name: 'den.png' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
});

test('an image is pasted from the clipboard, and a text with a picture of it stays text', async ({ page, open }) => {
  await open('attachments');
  await composer(page).focus();
  await happen(page, FIELD, ['paste'], { files: [{ ...shot, name: 'image.png' }], data: { 'text/html': '<img>' } });
  await expect(chips(page)).toHaveText([/image\.png/]);
  await happen(page, FIELD, ['paste'], { files: [shot], data: { 'text/plain': 'a cell' } });
  await expect(chips(page)).toHaveCount(1);
  await happen(page, FIELD, ['paste'], {
    files: [{ name: 'a.csv', type: 'text/csv', content: btoa('a,b\n') }],
    data: { 'text/plain': '/home/ada/a.csv', 'text/uri-list': 'file:///home/ada/a.csv' },
  });
  await expect(chips(page)).toHaveText([/image\.png/, /a\.csv\s*1 line/]);
  await expect(composer(page)).toHaveValue('');
});

test('a long text that is pasted becomes a file, and can be put into the message in its place', async ({
  page,
  open,
}) => {
  await open('attachments');
  await composer(page).fill('before after');
  await composer(page).evaluate((field: HTMLTextAreaElement) => field.setSelectionRange(7, 7));
  const long = 'x'.repeat(9_999);
  await happen(page, FIELD, ['paste'], { data: { 'text/plain': `${long}\n` } });
  await expect(chips(page)).toHaveCount(0);
  await happen(page, FIELD, ['paste'], { data: { 'text/plain': `${long}\nyy` } });
  await expect(chips(page)).toHaveText([/Pasted text\.txt\s*2 lines/]);
  await expect(composer(page)).toHaveValue('before after');
  await page.getByRole('button', { name: 'Put it into the message' }).click();
  await expect(composer(page)).toHaveValue(`before ${long}\nyyafter`);
  await expect(chips(page)).toHaveCount(0);
  await expect(composer(page)).toBeFocused();
  await expect.poll(() => kept(page)).toEqual([]);
});

test('files are dropped anywhere on the window, with a sign while they are over it', async ({ page, open }) => {
  await open('attachments');
  const cue = page.getByTestId('drop-cue');
  await happen(page, 'h1', ['dragenter', 'dragover'], { files: [shot] });
  await expect(cue).toHaveText('Drop files to add them to your message');
  // From one thing to the next one is still over the window.
  await happen(page, FIELD, ['dragenter'], { files: [shot] });
  await happen(page, 'h1', ['dragleave'], { files: [shot] });
  await expect(cue).toBeVisible();
  await happen(page, FIELD, ['dragleave'], { files: [shot] });
  await expect(cue).toHaveCount(0);
  await happen(page, '[data-testid=session-item]', ['dragenter', 'dragover', 'drop'], {
    files: [shot, { name: 'a.txt', type: '', content: btoa('a') }],
  });
  await expect(cue).toHaveCount(0);
  await expect(chips(page)).toHaveText([/shot\.png/, /a\.txt\s*1 line/]);
  await expect(composer(page)).toBeFocused();
  // A text that is dragged is none of it.
  await happen(page, FIELD, ['dragenter', 'dragover'], { data: { 'text/plain': 'a' } });
  await expect(cue).toHaveCount(0);
});

test('a drop where no message can be written is no reason to leave the page', async ({ page, open }) => {
  await open('imported');
  await happen(page, 'h1', ['dragenter', 'dragover'], { files: [shot] });
  await expect(page.getByTestId('drop-cue')).toHaveCount(0);
  await happen(page, 'h1', ['drop'], { files: [shot] });
  await expect(page.getByTestId('read-only')).toBeVisible();
  await page.keyboard.press('Control+,');
  await expect(page.getByRole('dialog')).toBeVisible();
});

test('a file is taken out again, with the keys alone', async ({ page, open }) => {
  await open('attachments');
  await add(page, text('notes.txt'), image('den.png'));
  await page.getByRole('button', { name: 'Remove notes.txt' }).focus();
  await page.keyboard.press('Enter');
  await expect(chips(page)).toHaveText([/den\.png/]);
  await expect(composer(page)).toBeFocused();
  await expect.poll(() => kept(page)).toEqual([['s-loader', 'den.png']]);
  // The same one twice is one.
  await add(page, image('again.png'));
  await expect(chips(page)).toHaveText([/den\.png/]);
});

test('what is not taken says why, and does not hold up the message', async ({ page, open }) => {
  await open('attachments', 0.1);
  await add(
    page,
    { name: 'tool.bin', mimeType: '', buffer: Buffer.from([0x7f, 0x45, 0, 0, 1]) },
    text('large.log', 'a'.repeat(1_048_577)),
    { name: 'film.mp4', mimeType: '', buffer: Buffer.alloc(8 * 1024 * 1024 + 1) },
    text('notes.txt'),
  );
  await expect(chips(page)).toHaveText([/notes\.txt/]);
  await expect(refused(page)).toHaveText([
    /“tool\.bin” is neither text nor an image\. Send text, or a PNG/,
    /“large\.log” is too large: a text may have 1 MB/,
    /“film\.mp4” is too large: an image may have 7 MB, a text 1 MB\. Make it smaller/,
  ]);
  await refused(page).first().getByRole('button', { name: 'Dismiss' }).click();
  await expect(refused(page)).toHaveCount(2);
  await send(page, 'Read this.');
  await expect(page.getByTestId('attached').last().getByRole('listitem')).toHaveText([/notes\.txt/]);
});

test('a message brings twenty files, and says how many are left out', async ({ page, open }) => {
  await open('attachments');
  await add(page, ...Array.from({ length: 23 }, (_, at) => text(`${at}.txt`, `file ${at}`)));
  await expect(chips(page)).toHaveCount(20);
  await expect(refused(page)).toHaveText([/A message can bring 20 files\. 3 files were left out\./]);
});

test('files are there again after a restart, each in its session', async ({ page, open }) => {
  await open('attachments');
  await add(page, text('notes.txt'), image('den.png'));
  await expect(chips(page).nth(1).locator('img')).toBeVisible();
  await page.getByTestId('session-item').filter({ hasText: 'Release notes' }).click();
  await expect(chips(page)).toHaveCount(0);
  await add(page, text('other.txt', 'other'));
  await expect(chips(page)).toHaveText([/other\.txt/]);
  await page.getByTestId('session-item').filter({ hasText: 'config loader' }).click();
  await expect(chips(page)).toHaveText([/notes\.txt/, /den\.png/]);
  await page.reload();
  await expect(chips(page)).toHaveText([/notes\.txt\s*2 lines/, /den\.png\s*864 B/]);
  await expect(chips(page).nth(1).locator('img')).toBeVisible();
  await page.getByTestId('session-item').filter({ hasText: 'Release notes' }).click();
  await expect(chips(page)).toHaveText([/other\.txt/]);
});

test('Send waits for a file that is on its way, which may be taken out before it has come', async ({ page, open }) => {
  await open('attachments', 1, 1_200);
  await composer(page).fill('What is this?');
  await pick(page, text('notes.txt'), text('more.txt', 'more'));
  await expect(chips(page)).toHaveText([/notes\.txt\s*adding…/, /more\.txt\s*adding…/]);
  await expect(page.getByTestId('send')).toBeDisabled();
  await page.getByRole('button', { name: 'Remove notes.txt' }).click();
  await expect(chips(page)).toHaveText([/more\.txt\s*1 line/]);
  await expect(page.getByTestId('send')).toBeEnabled();
  await expect.poll(() => kept(page)).toEqual([['s-loader', 'more.txt']]);
});

test('a file that comes late stays with the session it was added in', async ({ page, open }) => {
  await open('attachments', 1, 1_200);
  await pick(page, text('notes.txt'));
  await expect(chips(page)).toHaveText([/adding…/]);
  await page.getByTestId('session-item').filter({ hasText: 'Release notes' }).click();
  await expect(chips(page)).toHaveCount(0);
  await page.waitForTimeout(2_000);
  await expect(chips(page)).toHaveCount(0);
  await page.getByTestId('session-item').filter({ hasText: 'config loader' }).click();
  await expect(chips(page)).toHaveText([/notes\.txt\s*2 lines/]);
  await expect.poll(() => kept(page)).toEqual([['s-loader', 'notes.txt']]);
});

test('a file that is added while the first message of a chat is on its way belongs to the next one', async ({
  page,
  open,
}) => {
  await open('attachments-new', 0.1, 1_000);
  await add(page, text('first.txt', 'first'));
  await expect(chips(page)).toHaveText([/first\.txt\s*1 line/]);
  await send(page, 'Look.');
  await expect(chips(page)).toHaveCount(0);
  await pick(page, text('second.txt', 'second'));
  await expect(chips(page)).toHaveText([/second\.txt/]);
  await expect(page.getByTestId('attached').getByRole('listitem')).toHaveText([/first\.txt/]);
  await expect(chips(page)).toHaveText([/second\.txt\s*1 line/]);
  await expect.poll(() => kept(page)).toEqual([['s-new-1', 'second.txt']]);
  await send(page, 'And this.');
  await expect(page.getByTestId('attached').last().getByRole('listitem')).toHaveText([/second\.txt/]);
});

test('A9: a message with files waits for the end of the turn, however it is sent, and brings them back with it after a stop', async ({
  page,
  open,
}) => {
  await open('attachments-running', 0.2);
  await add(page, image('den.png'), text('notes.txt'));
  await expect(composer(page)).toHaveAttribute('placeholder', 'Enter queues it with its files');
  await composer(page).fill('And this?');
  await page.getByRole('button', { name: 'Other ways to send' }).click();
  await expect(page.getByRole('menuitem')).toHaveText(['Stop and send now']);
  await page.keyboard.press('Escape');
  await composer(page).press('Alt+Enter');
  await expect(page.getByTestId('queued')).toHaveText([/And this\?\s*2 files/]);
  await expect(chips(page)).toHaveCount(0);
  await page.getByTestId('stop').click();
  await expect(composer(page)).toHaveValue('And this?');
  await expect(chips(page)).toHaveText([/den\.png/, /notes\.txt/]);
  await composer(page).press('Enter');
  await expect(page.getByTestId('attached').getByRole('listitem')).toHaveText([/den\.png/, /notes\.txt/]);
});

test('A9: a message with files stops the turn and is sent', async ({ page, open }) => {
  await open('attachments-running', 0.2);
  await add(page, image('den.png'));
  await composer(page).fill('Rather this.');
  await page.getByRole('button', { name: 'Other ways to send' }).click();
  await page.getByRole('menuitem', { name: 'Stop and send now' }).click();
  await expect(page.getByTestId('attached').getByRole('listitem')).toHaveText([/den\.png/]);
  await expect(chips(page)).toHaveCount(0);
  await expect.poll(() => kept(page)).toEqual([]);
});

test('T9: a message that is sent again, changed or not, brings its files again', async ({ page, open }) => {
  await open('attachments', 0.1);
  await add(page, text('draft.txt', 'of the next message'));
  const came = page.getByTestId('attached').getByRole('listitem');
  const menu = page.getByRole('button', { name: 'Actions for the message' });
  await menu.click();
  await page.getByRole('menuitem', { name: 'Regenerate the answer' }).click();
  await expect(page.getByTestId('branches')).toContainText('2 of 2');
  await expect(words(page)).toHaveText('Answered');
  await expect(came).toHaveText([/sightings\.txt\s*3 lines/, /den at dusk\.png\s*240 × 135/]);
  await menu.click();
  await page.getByRole('menuitem', { name: 'Edit and resend' }).click();
  await expect(page.getByText('Files stay as they are. The 2 files you added come with it again.')).toBeVisible();
  await page.getByTestId('message-edit').fill('And how many cubs?');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('branches')).toContainText('3 of 3');
  await expect(came).toHaveText([/sightings\.txt/, /den at dusk\.png/]);
  await expect(page.getByTestId('attachment-picture').getByRole('img')).toBeVisible();
  // What is being written is not touched by it.
  await expect(chips(page)).toHaveText([/draft\.txt/]);
});

test('a model that takes no images: text and files stay, and a button leads to where that is said', async ({
  page,
  open,
}) => {
  await open('no-session', 0.1);
  await add(page, image('den.png'));
  await send(page, 'What is this?');
  const card = page.getByTestId('error-card');
  await expect(card).toContainText('deepseek-chat is not known to take images.');
  await expect(composer(page)).toHaveValue('What is this?');
  await expect(chips(page)).toHaveText([/den\.png/]);
  await card.getByRole('button', { name: 'Open settings' }).click();
  const of = page.getByTestId('of-endpoint').filter({ has: page.getByRole('heading', { name: 'deepseek' }) });
  await expect(page.getByTestId('settings-dialog').getByRole('heading', { name: 'Models', level: 3 })).toBeVisible();
  const model = of.getByRole('listitem').filter({ hasText: 'deepseek-chat' });
  await model.getByText('deepseek-chat').click();
  await model.getByLabel('Takes images').selectOption('Yes');
  await expect(model).toContainText('takes images');
  await page.keyboard.press('Escape');
  await card.getByRole('button', { name: 'Retry' }).click();
  await expect(page.getByTestId('attached').getByRole('listitem')).toHaveText([/den\.png/]);
  await expect(composer(page)).toHaveValue('');
  await expect(chips(page)).toHaveCount(0);
  await expect.poll(() => kept(page)).toEqual([]);
});

test('an image that is taken out before a message is sent again does not go with it', async ({ page, open }) => {
  await open('no-session', 0.1);
  await add(page, image('den.png'), text('notes.txt'));
  await send(page, 'What is this?');
  await expect(page.getByTestId('error-card')).toBeVisible();
  await page.getByRole('button', { name: 'Remove den.png' }).click();
  await page.getByTestId('error-card').getByRole('button', { name: 'Retry' }).click();
  await expect(page.getByTestId('attached').getByRole('listitem')).toHaveText([/notes\.txt/]);
});

test('R1: names are text, however they are written', async ({ page, open }) => {
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await open('attachments-new', 0.1);
  const hostile = [
    '<img src=x onerror=document.title="gone">.png',
    '\u202egpj.exe\u2066.txt',
    `${'n'.repeat(120)}.txt`,
    '[a](javascript:alert(1)).md',
    '$& \' " `.txt',
  ];
  await add(page, image(hostile[0]!), ...hostile.slice(1).map((name) => text(name, name)));
  await expect(chips(page)).toHaveCount(5);
  await expect(chips(page).first()).toContainText('<img src=x onerror=document.title="gone">.png');
  await expect(chips(page).nth(1)).toContainText('gpj.exe.txt');
  const wide = await page.evaluate(
    () => document.scrollingElement!.scrollWidth - document.scrollingElement!.clientWidth,
  );
  await send(page, 'What are these?');
  await expect(words(page)).toHaveText('Answered');
  await expect(page.getByTestId('attached').getByRole('listitem')).toHaveCount(5);
  await page.getByTestId('attachment-picture').click();
  await expect(page.getByRole('dialog')).toContainText('<img src=x onerror');
  await page.keyboard.press('Escape');
  const wider = await page.evaluate(
    () => document.scrollingElement!.scrollWidth - document.scrollingElement!.clientWidth,
  );
  expect([wide, wider, await page.title()]).toEqual([0, 0, 'Orion']);
  expect(await page.locator('img:not([src^="data:image/"])').count()).toBe(0);
  expect(asked.filter((url) => !url.startsWith(new URL(page.url()).origin) && !url.startsWith('data:'))).toEqual([]);
  await page.evaluate(() =>
    Object.defineProperty(navigator, 'clipboard', {
      value: {
        writeText: (copied: string) =>
          Promise.resolve(void ((window as unknown as { copied: string }).copied = copied)),
      },
    }),
  );
  await copyBy(page.getByTestId('copy-turn'));
  const copied = await page.evaluate(() => (window as unknown as { copied: string }).copied);
  expect(copied).toContain('*Came with it: \\<img src=x onerror=document.title="gone"\\>.png, ');
});

test('X2: an added file is named in words where the context is listed', async ({ page, open }) => {
  await open('attachments');
  await page.getByTestId('context-meter').click();
  await page.getByRole('dialog', { name: 'Context' }).locator('[data-kind=turn] button[aria-expanded]').click();
  await expect(page.getByTestId('context-box')).toHaveText([
    /added file\s*sightings\.txt/,
    /added file\s*den at dusk\.png/,
  ]);
});

fits({
  attachments: {
    scene: 'attachments',
    reach: (page) => expect(page.getByTestId('attachment-picture').getByRole('img')).toBeVisible(),
  },
  'attachments-large': {
    scene: 'attachments',
    reach: async (page) => {
      await page.getByTestId('attachment-picture').click();
      await expect(page.getByTestId('large-picture')).toBeVisible();
    },
  },
  'attachments-written': {
    scene: 'attachments',
    reach: async (page) => {
      await add(
        page,
        image('den at dusk, seen from the hill above the river.png'),
        text('sightings of this spring.csv', 'a,b\n'.repeat(212)),
        { name: 'tool.bin', mimeType: '', buffer: Buffer.from([0x7f, 0x45, 0, 0, 1]) },
      );
      await expect(refused(page)).toHaveCount(1);
      await happen(page, FIELD, ['paste'], { data: { 'text/plain': 'line of a log\n'.repeat(1_000) } });
      await expect(page.getByTestId('put-in')).toBeVisible();
      await expect(chips(page).first().locator('img')).toBeVisible();
    },
  },
  'attachments-coming': {
    scene: 'attachments-running',
    reach: async (page) => {
      await add(page, image('den.png'), text('notes.txt'));
      await send(page, 'And is this the same den?');
      await expect(page.getByTestId('queued')).toHaveCount(1);
      await add(page, text('more.txt', 'more'));
      await expect(chips(page)).toHaveCount(1);
    },
  },
  'attachments-drop': {
    scene: 'attachments',
    reach: async (page) => {
      await happen(page, FIELD, ['dragenter', 'dragover'], { files: [shot] });
      await expect(page.getByTestId('drop-cue')).toBeVisible();
    },
  },
});
