// A turn before the first one, which nobody sees: patterns, templates and functions are compiled and fonts are searched for when they
// are first used, and the first words of a model should not wait for that.

import { mount, unmount } from 'svelte';
import { emptyTurn, type Turn, type TurnStart } from '$lib/model/turn';
import Warm from './Warm.svelte';

/** The first line of an answer, and what answers often have. Code is not among it: its colours are fetched when there is some. */
const SAMPLE =
  'An *answer* of **words** and `names`, [a link](#)\n\n# A title\n\n- a list\n- of two\n\n1. steps\n\n> a quote\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nand more';

const START: TurnStart = {
  purpose: 'answer',
  text: SAMPLE,
  policy: {
    route: 'two_stage',
    maxCycles: 1,
    maxTools: 1,
    maxDuplicates: 1,
    cutAtFirstCall: true,
    refusalsAreFree: true,
    resultForm: 'box',
    maxWritePrompts: 1,
    furtherTries: 0,
    secondChances: 0,
    pauseAfterTool: false,
    compactsAtCuts: false,
    maxOutputTokens: 1,
    maxFileBytes: 1,
    maxSeconds: 1,
    maxCostUsd: null,
  },
  bounds: {
    modelCalls: 1,
    toolRuns: 1,
    writePrompts: 1,
    furtherRequests: 8,
    outputTokens: 1,
    seconds: 1,
    costUsd: null,
  },
  mode: 'act',
  model: '',
  endpoint: '',
  tools: [],
  chosen: null,
  choices: null,
};

const TURN: Turn = {
  ...emptyTurn({ requestId: 'warm', sessionId: 'warm', projectId: 'warm' }),
  start: START,
  phase: { phase: 'action_phase', cycle: 1, isFinal: false, open: true },
  items: [{ kind: 'text', seq: 1, text: SAMPLE }],
};

/** The page is laid out with it, and it is gone before the next frame. */
export function warm(): void {
  const shown = mount(Warm, { target: document.body, props: { turn: TURN } });
  document.body.getBoundingClientRect();
  void unmount(shown);
}
