import { expect, test } from 'vitest';
import { Recording } from '$lib/backend/replay/recording';
import { answered, idsOf } from '$lib/backend/replay/scripts';
import { answerOf, routeRows, stateWords } from './routes';
import { emptyTurn, foldEnvelope, type Turn } from './turn';

const fold = (recording: Recording): Turn => {
  const [first, ...rest] = recording.envelopes();
  if (!first) throw new Error('Nothing was recorded.');
  return rest.reduce(foldEnvelope, foldEnvelope(emptyTurn(first), first));
};

const ids = idsOf('t-1', 's-1', 'p-1');
const cellsOf = (turns: (Turn | null)[]) =>
  Object.fromEntries(routeRows(turns).map(({ label, cells }) => [label, cells]));

test('figures grow while a turn runs, and what only its end tells is not there before', () => {
  const running = fold(
    new Recording(ids, 'One?', 0)
      .action()
      .say('I look.')
      .call('c', 'read_file', { path: 'a' })
      .end('tool_call')
      .tools(),
  );
  const cells = cellsOf([running, null]);
  expect(cells['Model calls']).toEqual(['1', '–']);
  expect(cells['Tokens in']).toEqual(['–', '–']);
  expect([stateWords(running, true), stateWords(null, true), stateWords(null, false)]).toEqual([
    'Reading a file',
    'Beginning',
    'Not begun',
  ]);
  expect(answerOf(running)?.text).toBe('I look.');
  expect(answerOf(null)).toBeNull();
});

test('T7: at its end a cost that is not known is unknown, and never 0', () => {
  const cells = cellsOf([fold(answered(ids, 'One?', 0))]);
  expect([cells['Model calls'], cells['Tool runs'], cells['Refused repeats'], cells['Cost']]).toEqual([
    ['3'],
    ['2'],
    ['0'],
    ['unknown'],
  ]);
});

test('the answer is the last text, known by the place of its item', () => {
  const turn = fold(answered(ids, 'One?', 0));
  const texts = turn.items.filter((item) => item.kind === 'text');
  expect(answerOf(turn)?.seq).toBe(texts.at(-1)?.seq);
  expect(texts.length).toBeGreaterThan(1);
});
