import { expect, test } from 'vitest';
import { noAnswer } from '$lib/backend/replay/meant';
import { answered, cutOff, record, refusedKey, type Script } from '$lib/backend/replay/scripts';
import { News } from './news.svelte';

test('a session that nobody looks at says what its turn came to', () => {
  const news = new News();
  const told = (script: Script, sessionId: string) => {
    news.take(record(script, 't', sessionId, 'p').envelopes(), 's-open');
    return news.of(sessionId);
  };
  expect([told(answered, 's-1'), told(noAnswer, 's-2'), told(cutOff, 's-3'), told(refusedKey, 's-open')]).toEqual([
    'done',
    'no_answer',
    'failed',
    null,
  ]);
});
