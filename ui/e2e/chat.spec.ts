// The main job: ask, watch a tool run, read the answer; and what happens when something is lost, long, stopped or wrong.

import { ANSWER, CONFIG_RS, REASONING } from '../src/lib/backend/replay/fixtures';
import { copyBy, expect, fromEnd, send, test, unfold, words } from './window';

test('a message is asked, a tool runs in its phase, and the answer is read', async ({ page, open }) => {
  await open('no-session', 0.2);
  await send(page, 'How does the config loader work?');
  await expect(page.getByTestId('composer')).toHaveValue('');
  await expect(words(page)).toHaveText('Answered');
  await expect(page.getByTestId('answer').last()).toContainText('So a flag beats the environment');
  await unfold(page);
  await expect(page.getByText('step 2 of 3')).toBeVisible();
  await expect(page.getByTestId('tool-box')).toHaveCount(2);
  await page.keyboard.press('Control+j');
  await expect(page.getByTestId('timeline-row')).toHaveCount(2);
  await expect(page.getByTestId('session-item').first()).toHaveAttribute('title', 'How does the config loader work?');
  await expect(page.getByTestId('stop')).toHaveCount(0);
});

test('R4: a tool box is closed, and opens to its arguments and its result with the lines of the file', async ({
  page,
  open,
}) => {
  await open('finished');
  await unfold(page);
  const box = page.getByTestId('tool-box').last();
  await expect(box).toContainText(/^\s*Read\s*src\/config\.rs/);
  await expect(box.getByTestId('tool-result')).toHaveCount(0);
  await box.getByTestId('tool-box-toggle').click();
  await expect(box.getByRole('row', { name: 'path src/config.rs' })).toBeVisible();
  await expect(box.getByTestId('tool-result')).toContainText('pub fn load(path: &Path');
  expect(await box.getByTestId('tool-result').textContent()).toBe(
    `src/config.rs: lines 1-32 of 32, 822 B\n${CONFIG_RS.trimEnd()}`,
  );
  await box.getByTestId('tool-box-toggle').click();
  await expect(box.getByTestId('tool-result')).toHaveCount(0);
});

test('P9: reasoning is apart from the answer and folded until it is opened, also while it comes', async ({
  page,
  open,
}) => {
  await open('finished');
  const turn = page.getByRole('article');
  const toggle = turn.getByRole('button', { name: 'Reasoning', exact: true });
  await expect(toggle).toHaveAttribute('aria-expanded', 'false');
  await expect(turn).not.toContainText(REASONING);
  await toggle.click();
  await expect(turn.getByText(REASONING, { exact: true })).toBeVisible();
  await expect(page.getByTestId('answer').filter({ hasText: REASONING })).toHaveCount(0);
  await toggle.click();
  await expect(turn).not.toContainText(REASONING);

  await open('thinking');
  await turn.getByRole('button', { name: 'Reasoning now' }).click();
  await expect(turn.getByText(REASONING.slice(0, 90), { exact: true })).toBeVisible();
});

test('code is copied whole from the frame around it, and the frame says so', async ({ page, context, open }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  const code = ANSWER.split('```')[1]?.replace(/^rust\n/, '') ?? '';
  await open('finished');
  const copy = page.getByRole('button', { name: 'Copy code' });
  await copyBy(copy);
  expect(await copied()).toBe(code.trimEnd());
  await expect(copy).toHaveText('Copy');
  // What is there of code that still comes.
  await open('streaming');
  await copyBy(copy);
  expect(code.startsWith(await copied())).toBe(true);
  expect((await copied()).length).toBeGreaterThan(100);
});

test('without a clipboard a selection is copied instead', async ({ page, context, open }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await open('finished');
  await page.evaluate(() =>
    Object.defineProperty(navigator.clipboard, 'writeText', {
      value: () => Promise.reject(new Error('There is none.')),
    }),
  );
  const copy = page.getByRole('button', { name: 'Copy code' });
  await copyBy(copy);
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(
    'let mut config: Config = toml::from_str(&file)?;',
  );
  await expect(copy).toBeFocused();
});

test('A4: Esc stops the turn, and what had arrived stays', async ({ page, open }) => {
  await open('slow');
  await send(page, 'Tell me about foxes');
  await expect(page.getByTestId('answer')).toContainText('reads the wind');
  await page.keyboard.press('Escape');
  await expect(words(page)).toHaveText('Stopped');
  await expect(page.getByTestId('answer')).toContainText('reads the wind');
  await expect(page.getByTestId('stop')).toHaveCount(0);
});

test('A3: a call that needs approval shows what it would do, and runs when it is allowed', async ({ page, open }) => {
  await open('approval', 0.2);
  await expect(words(page)).toHaveText('Waiting for your approval');
  const question = page.getByRole('group', { name: 'Search files now?' });
  await expect(question.getByRole('row', { name: 'glob src/**/*.rs' })).toBeVisible();
  await expect(page.getByTestId('tool-box')).toHaveAttribute('data-status', 'waiting');
  await expect(question.getByTestId('approve')).toBeEnabled();
  await question.getByTestId('approve').focus();
  await page.keyboard.press('Enter');
  await expect(words(page)).toHaveText('Answered');
  await expect(page.getByTestId('answer').last()).toHaveText('Only src/config.rs reads it.');
  await expect(question).toHaveCount(0);
  await expect(page.getByTestId('composer')).toBeFocused();
  await unfold(page);
  await expect(page.getByTestId('tool-box')).toHaveAttribute('data-status', 'ok');
});

test('A3: a call that is refused does not run, and the turn goes on without it', async ({ page, open }) => {
  await open('approval', 0.2);
  await page.getByTestId('refuse').click();
  await expect(words(page)).toHaveText('Answered');
  await expect(page.getByTestId('tool-box')).toHaveAttribute('data-status', 'refused');
  await expect(page.getByTestId('answer').last()).toHaveText('Without the search I cannot say where it is read.');
  await expect(page.getByTestId('approval')).toHaveCount(0);
});

test('Esc closes a menu before it stops a turn', async ({ page, open }) => {
  await open('slow');
  await send(page, 'Tell me about foxes');
  await expect(words(page)).toHaveText('Answering');
  await page.getByRole('button', { name: 'Limits: 8 steps' }).click();
  await expect(page.getByRole('dialog', { name: 'Limits' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog', { name: 'Limits' })).toHaveCount(0);
  await expect(words(page)).toHaveText('Answering');
});

test('T6: events and text that were lost on the way are asked for, and nothing is missing in the end', async ({
  page,
  open,
}) => {
  await open('gaps', 0.2);
  await send(page, 'How does the config loader work?');
  await expect(words(page)).toHaveText('Answered');
  await expect(page.getByTestId('answer').last()).toHaveText(
    /^The loader in src\/config\.rs merges.*loading fails with ConfigError::Parse\.\s*$/s,
  );
  await unfold(page);
  await expect(page.locator('[data-testid=tool-box][data-status=ok]')).toHaveCount(2);
});

test('the view follows the end while the person is there, and offers the way back when not', async ({ page, open }) => {
  await open('slow', 0.5);
  await send(page, 'Tell me about foxes');
  const conversation = page.getByRole('region', { name: 'Conversation' });
  await expect.poll(() => conversation.evaluate((region) => region.scrollTop)).toBeGreaterThan(300);
  expect(await fromEnd(page)).toBeLessThan(2);
  await expect(page.getByTestId('jump-latest')).toHaveCount(0);

  await conversation.hover();
  await page.mouse.wheel(0, -200);
  await expect(page.getByTestId('jump-latest')).toBeVisible();
  const before = await conversation.evaluate((region) => region.scrollTop);
  const length = (await page.getByTestId('answer').textContent())?.length ?? 0;
  await expect
    .poll(async () => ((await page.getByTestId('answer').textContent())?.length ?? 0) - length)
    .toBeGreaterThan(400);
  expect(await conversation.evaluate((region) => region.scrollTop)).toBe(before);

  await page.getByTestId('jump-latest').click();
  await expect(page.getByTestId('jump-latest')).toHaveCount(0);
  await expect.poll(() => fromEnd(page)).toBeLessThan(2);
});

test('a box that is opened stays where it is while more text arrives', async ({ page, open }) => {
  await open('finished');
  await unfold(page);
  const toggle = page.getByTestId('tool-box-toggle').last();
  await toggle.scrollIntoViewIfNeeded();
  const before = await toggle.boundingBox();
  await toggle.click();
  await expect(page.getByTestId('tool-result')).toBeVisible();
  expect((await toggle.boundingBox())?.y).toBe(before?.y);
});

test('no way back is offered while everything can be seen', async ({ page, open }) => {
  await page.setViewportSize({ width: 1280, height: 2600 });
  await open('finished');
  await unfold(page);
  await page.getByTestId('tool-box-toggle').last().click();
  await expect(page.getByTestId('tool-result')).toBeVisible();
  await expect(page.getByTestId('jump-latest')).toHaveCount(0);
});

test('X7: a finished answer reads as one, and goes on only where the person says so', async ({ page, open }) => {
  await open('budget', 0.1);
  await expect(words(page)).toHaveText('Answered');
  await expect(page.getByTestId('phase-bar')).toHaveCount(0);
  await unfold(page);
  await expect(page.getByTestId('notice')).toHaveText([
    '2 more calls not run in this step: read_file, file_info.',
    'read_file src/config.rs was not run again: its result is above. Repeat 1 of 3.',
  ]);
  await expect(page.getByText('all 3 steps used · final answer, without tools')).toBeVisible();
  await expect(page.getByTestId('continue')).toHaveCount(0);
  await page.keyboard.press('Control+e');
  await expect(page.getByRole('article', { name: 'Message: Continue.' })).toBeVisible();
  await expect(words(page)).toHaveText('Answered');
});

test('X7: where the model wanted more, Continue is the button, and one key does it', async ({ page, open }) => {
  await open('wanting', 0.1);
  await expect(words(page)).toHaveText('Not finished');
  const on = page.getByTestId('continue');
  await expect(on).toHaveText('Continue Ctrl+E');
  await expect(on).toHaveClass(/primary/);
  await page.getByTestId('composer').fill('A draft that stays');
  await page.keyboard.press('Control+e');
  await expect(page.getByRole('article', { name: 'Message: Continue.' })).toBeVisible();
  await expect(words(page)).toHaveText('Answered');
  await expect(page.getByTestId('composer')).toHaveValue('A draft that stays');
  await page.keyboard.press('Control+e');
  await expect(page.locator('[data-turn]')).toHaveCount(2);
});

test('P7: where no answer came, Try again is the button, and it asks in the same conversation', async ({
  page,
  open,
}) => {
  await open('no-answer', 0.1);
  await expect(words(page)).toHaveText('No answer came');
  await expect(page.getByTestId('phase-bar')).toContainText('No answer came · the model only reasoned');
  await expect(page.getByTestId('notice')).toHaveText([
    'Asked once more: no answer came.',
    'No answer came. Another model, or other words, may do better.',
  ]);
  // What it said before it read the file is no answer.
  await expect(page.getByTestId('copy-answer')).toHaveCount(0);
  const again = page.getByTestId('continue');
  await expect(again).toHaveText('Try again Ctrl+E');
  await expect(again).toHaveClass(/primary/);
  await again.click();
  await expect(page.getByRole('article', { name: 'Message: Continue.' })).toBeVisible();
  await expect(words(page)).toHaveText('Answered');
  // It is no longer the latest turn, of which the bar tells.
  await expect(page.getByRole('article').first().getByTestId('notice')).toHaveText([
    'Asked once more: no answer came.',
    'No answer came.',
  ]);
  await expect(again).toHaveCount(0);
});

test('X7: a session keeps the budget that was chosen for it, and another one has its own', async ({ page, open }) => {
  await open('chosen');
  await expect(page.getByRole('button', { name: 'Limits: 24 steps' })).toBeVisible();
  await page.keyboard.press('Control+n');
  await expect(page.getByRole('button', { name: 'Limits: 8 steps' })).toBeVisible();
  await page.getByRole('treeitem', { name: /^How does the config loader work/ }).click();
  await expect(page.getByRole('button', { name: 'Limits: 24 steps' })).toBeVisible();
});

test('an error sits where it happened, says what to do, and its button does it', async ({ page, open }) => {
  await open('error', 0.1);
  const card = page.getByTestId('error-card');
  await expect(card).toContainText('The endpoint deepseek refused the key.');
  await expect(card).toContainText('Check the key in the settings, then ask again.');
  await card.getByRole('button', { name: 'Open settings' }).click();
  await expect(page.getByTestId('settings-dialog')).toBeVisible();
  await page.keyboard.press('Escape');
  await card.getByRole('button', { name: 'Retry' }).click();
  await expect(words(page)).toHaveText('Answered');
});

test('markup from the model stays text: no element, no image, no address leads anywhere', async ({ page, open }) => {
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await open('hostile');
  const answer = page.getByTestId('answer');
  await expect(answer).toContainText('<img src=x onerror=alert(1)>');
  await expect(answer).toContainText('[image: a pixel, https://evil.example/pixel.png]');
  await expect(answer).toContainText('click here (javascript:alert(1))');
  await expect(answer.locator('a, img, script, iframe, form')).toHaveCount(0);
  expect(requests.filter((url) => url.includes('evil'))).toEqual([]);
});

test('two thousand chunks a second: nothing is lost and frames keep coming', async ({ page, open }) => {
  await open('flood');
  await page.evaluate(() => {
    const stamps: number[] = [];
    const frame = (now: number) => {
      stamps.push(now);
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
    Object.assign(document, { stamps });
  });
  await send(page, 'Tell me everything about foxes');
  await expect(words(page)).toHaveText('Answered', { timeout: 20_000 });
  const stamps = await page.evaluate(() => (document as unknown as { stamps: number[] }).stamps);
  const gaps = stamps
    .slice(1)
    .map((now, index) => now - (stamps[index] ?? now))
    .toSorted((a, b) => a - b);
  console.log(
    `frames: median ${gaps[Math.floor(gaps.length / 2)]?.toFixed(1)} ms, 99 % ${gaps[Math.floor(gaps.length * 0.99)]?.toFixed(1)} ms, of ${gaps.length}`,
  );
  const text = (await page.getByTestId('answer').textContent()) ?? '';
  expect(text.match(/A fox that plans its route/g)?.length).toBe(735);
  // A machine under load loses frames; a window that parses everything again loses nearly all of them.
  expect(gaps[Math.floor(gaps.length / 2)]).toBeLessThan(34);
});

test('a pause before the next try counts down, and can be skipped', async ({ page, open }) => {
  await open('retrying');
  await expect(words(page)).toHaveText('Waiting to try again, attempt 2');
  await expect(page.getByTestId('left')).toHaveText(/^\d+ s left$/);
  await page.getByTestId('retry-now').click();
  await expect(words(page)).toHaveText('Waiting for the model');
  await expect(page.getByTestId('retry-now')).toHaveCount(0);
});

test('X3: what left the conversation is said where it happened', async ({ page, open }) => {
  await open('made-room');
  await expect(
    page.getByText(
      'The conversation was getting too long: 3 tool results and 14 messages were taken out. The context was 83 % full, and is 48 % full now.',
    ),
  ).toBeVisible();
  await expect(page.getByTestId('answer')).toBeVisible();
});

test('X6: a file that is read again unchanged leads to the earlier result', async ({ page, open }) => {
  await open('read-again');
  await unfold(page);
  await expect(page.getByText('Read again: unchanged. read_file src/config.rs')).toBeVisible();
  const asked = page.locator('[data-turn="t-1"] .asked');
  await expect(asked).not.toBeInViewport();
  await page.getByRole('button', { name: 'Show the earlier result' }).click();
  await expect(asked).toBeInViewport();
});

test('P11: an answer that only repeated itself says so, and folds the repeats until they are opened', async ({
  page,
  open,
}) => {
  await open('repeating');
  await expect(words(page)).toHaveText('Cut off: the model kept repeating itself');
  await expect(page.getByTestId('notice')).toContainText('The same text came 195 times in a row.');
  const answer = page.getByTestId('answer');
  const lines = async () => ((await answer.textContent()) ?? '').split('background-color').length - 1;
  await expect.poll(lines).toBe(1);
  await page.getByRole('button', { name: 'The same 194 more times' }).click();
  await expect.poll(lines).toBe(195);
  await page.getByRole('button', { name: 'Fold the repeats' }).click();
  await expect.poll(lines).toBe(1);
});

test('P10: an unknown finish reason can be accepted for its endpoint', async ({ page, open }) => {
  await open('unknown-finish');
  await expect(words(page)).toHaveText('The answer may not be complete');
  await page.getByRole('button', { name: 'Accept “ran_dry” as complete' }).click();
  await expect(page.getByText('From now on, “ran_dry” from deepseek counts as a complete answer.')).toBeVisible();
  await expect(page.getByTestId('accept-finish')).toHaveCount(0);
});

test('the facts of the phase bar are shown whole or not at all', async ({ page, open }) => {
  await open('streaming');
  await expect(words(page)).toHaveText('Answering');
  for (let width = 1400; width >= 800; width -= 10) {
    await page.setViewportSize({ width, height: 800 });
    const cut = await page.locator('[data-testid=phase-bar] .facts').evaluate((facts) => {
      const line = facts.getBoundingClientRect();
      const places = [...facts.children].map((fact) => fact.getBoundingClientRect());
      return places.filter((fact) => fact.top < line.bottom - 1 && fact.left < line.left - 0.5).length;
    });
    expect(cut, `facts that are cut off in a window of ${width} pixels`).toBe(0);
  }
});
