import { expect, test } from 'vitest';
import { closest, judged } from './trial';

const models = ['qwen3:8b', 'gemma3:12b', 'deepseek-r1:7b'].map((id) => ({
  id,
  ownedBy: null,
  contextLength: null,
  loaded: null,
  tools: null,
  vision: null,
}));

test('a model that the endpoint lists is good, and any other is not', () => {
  expect(judged(models, 'gemma3:12b')).toEqual({ state: 'good', models });
  expect(judged(models, 'gemma3')).toEqual({ state: 'unlisted', models, model: 'gemma3' });
  expect(judged([], 'gemma3')).toEqual({ state: 'unlisted', models: [], model: 'gemma3' });
});

test('the models that have most of the name come first', () => {
  expect(closest(models, 'gemma3', 2)).toEqual(['gemma3:12b', 'qwen3:8b']);
  expect(closest(models, 'deepseek r1', 1)).toEqual(['deepseek-r1:7b']);
});
