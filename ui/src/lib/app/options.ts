// What a message is sent with when the person has chosen nothing, and the name of the demo model among endpoints.

import type { TurnOptions } from '$lib/generated/TurnOptions';
import { NO_LIMITS } from '$lib/model/bounds';

export const DEMO = 'demo';
export const FRESH_OPTIONS: TurnOptions = {
  mode: null,
  route: null,
  endpoint: null,
  model: null,
  window: null,
  limits: NO_LIMITS,
  pauseAfterTool: null,
  edits: [],
  insteadOf: null,
};
