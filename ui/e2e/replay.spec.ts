import { test } from './kept';
import { expect } from './window';

test.use({ panel: true });

test('a turn is replayed from its trace, and is said to be the same', async ({ page, open }) => {
  await open('finished');
  const replay = page.getByTestId('replay');
  await replay.getByRole('button', { name: 'Replay' }).click();
  await expect(replay.getByRole('status')).toContainText(/^All [\d,]+ events are the same as when the turn ran\./);
});

test('the first event that is not what was recorded is named, and who wrote the turn', async ({ page, open }) => {
  await open('error');
  const replay = page.getByTestId('replay');
  await replay.getByRole('button', { name: 'Replay' }).click();
  const words = replay.getByRole('status');
  await expect(words).toContainText(/Event \d+ of \d+ is not what was recorded: phase_ended, in answering\./);
  await expect(words).toContainText('A later Orion recorded this turn, by rules that this one does not know (7).');
  await expect(words.locator('dd')).toHaveText(['event.finishReason', '"stop"', 'null']);
});
