// The policy that the recorded turns run with.

import type { Policy } from '$lib/generated/Policy';

export const TWO_STAGE: Policy = {
  route: 'two_stage',
  maxCycles: 3,
  maxTools: 1,
  maxDuplicates: 3,
  cutAtFirstCall: true,
  refusalsAreFree: true,
  resultForm: 'box',
  maxWritePrompts: 16,
  furtherTries: 1,
  secondChances: 1,
  pauseAfterTool: false,
  compactsAtCuts: false,
  maxOutputTokens: 32_768,
  maxFileBytes: 8_388_608,
  maxSeconds: 1_800,
  maxCostUsd: null,
};
