import { expect, test } from 'vitest';
import type { Endpoint } from '$lib/generated/Endpoint';
import type { TurnChoices } from '$lib/generated/TurnChoices';
import { NO_LIMITS } from '$lib/model/bounds';
import type { Turn } from '$lib/model/turn';
import { chosenFor } from './chosen';
import { FRESH_OPTIONS } from './options';

const turn = (choices: TurnChoices | null) => ({ start: { chosen: null, choices } }) as unknown as Turn;
const endpoints = [{ name: 'local' }] as unknown as Endpoint[];
const PLAN: TurnChoices = { mode: 'plan', route: 'unified', endpoint: 'local', model: 'qwen', pauseAfterTool: true };

test('X7: a session goes on with what its latest turn was sent with', () => {
  expect(chosenFor(turn(PLAN), endpoints)).toEqual({ ...FRESH_OPTIONS, ...PLAN, limits: NO_LIMITS });
  expect(chosenFor(turn(null), endpoints)).toEqual(FRESH_OPTIONS);
  expect(chosenFor(null, endpoints)).toEqual(FRESH_OPTIONS);
});

test('an endpoint that is gone was chosen in vain, and its model with it', () => {
  expect(chosenFor(turn({ ...PLAN, endpoint: 'gone' }), endpoints)).toMatchObject({
    mode: 'plan',
    endpoint: null,
    model: null,
  });
  expect(chosenFor(turn({ ...PLAN, endpoint: null }), endpoints)).toMatchObject({ endpoint: null, model: 'qwen' });
  expect(chosenFor(turn({ ...PLAN, endpoint: 'demo' }), endpoints)).toMatchObject({ endpoint: 'demo', model: 'qwen' });
});
