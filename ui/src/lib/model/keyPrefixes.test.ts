import { expect, test } from 'vitest';
import { providerOf } from './keyPrefixes';

test('a key says whose it is by its form, and no other key is taken for one', () => {
  const hex = '0123456789abcdef'.repeat(2);
  expect(
    [
      'sk-or-v1-0a',
      ' sk-proj-Ab_c-1 ',
      'sk-svcacct-1',
      `sk-${'Ab1'.repeat(7)}T3BlbkFJ${'x'.repeat(20)}`,
      `sk-${hex}`,
      `sk-${hex}0`,
      'sk-ant-api03-1',
      'sk-1',
      'gsk_1',
      '',
    ].map(providerOf),
  ).toEqual(['openrouter', 'openai', 'openai', 'openai', 'deepseek', null, null, null, null, null]);
});
