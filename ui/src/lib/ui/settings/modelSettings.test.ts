import { expect, test } from 'vitest';
import type { Endpoint } from '$lib/generated/Endpoint';
import { tuningFacts } from '$lib/model/tuningWords';
import { factsOf, isSet, NOTHING, ofAll, THINKINGS } from './modelSettings';

const endpoint: Endpoint = {
  name: 'e',
  baseUrl: 'http://127.0.0.1:8080/v1',
  model: 'm',
  key: { kind: 'none' },
  acceptedFinishReasons: [],
  allowHttp: false,
  window: null,
  maxOutputTokens: null,
  models: {},
  tuning: { reasoningEffort: 'high', thinking: 'off' },
  takesImages: null,
  resultsAs: null,
};

test('what is set of thinking for all models of an endpoint is shown, beside the effort', () => {
  expect(ofAll(endpoint)).toEqual({ ...NOTHING, reasoningEffort: 'high', thinking: 'off' });
  expect(factsOf(ofAll(endpoint))).toEqual(['reasoning high', 'thinking off']);
  expect(ofAll({ ...endpoint, tuning: {} })).toEqual(NOTHING);
});

test('thinking alone is something that is set, on as well as off', () => {
  expect(THINKINGS.map((thinking) => [isSet({ ...NOTHING, thinking }), factsOf({ ...NOTHING, thinking })])).toEqual([
    [true, ['thinking on']],
    [true, ['thinking off']],
  ]);
  expect(isSet(NOTHING)).toBe(false);
});

test('how a turn was asked to answer says if its model was to think', () => {
  expect(tuningFacts({ thinking: 'on', temperature: 0.3 })).toEqual(['temperature 0.3', 'thinking on']);
  expect(tuningFacts({})).toEqual([]);
});
