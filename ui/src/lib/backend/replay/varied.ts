// Settings in which every source of a value is there: the person, the environment, and the file of the project.

import type { Settings } from '$lib/generated/Settings';
import { NO_CHANGE, NO_LIMITS } from '$lib/model/bounds';
import { type ProjectFile, settings } from './fixtures';

/** A file that lowers a number, asks in vain for more of another, and is strict with tools. */
export const TIGHT: ProjectFile = {
  mode: 'plan',
  limits: { maxCycles: 2, maxSeconds: 7_200 },
  tools: [
    {
      tool: 'search_files',
      permission: 'ask',
      timeoutMs: 2_000,
      maxPerTurn: null,
      rules: [{ pattern: 'secret/**', permission: 'deny' }],
    },
  ],
};

export function variedSettings(): Settings {
  const connected = settings('connected');
  const environment = { ...NO_CHANGE, retryS: 5 };
  const [deepseek, ...others] = connected.endpoints;
  const none = {
    window: null,
    maxOutputTokens: null,
    temperature: null,
    reasoningEffort: null,
    thinking: null,
    takesImages: null,
    resultsAs: null,
    favourite: false,
    prices: null,
  };
  const models = {
    'deepseek-chat': {
      ...none,
      temperature: 0.3,
      prices: { prompt: 0.14, completion: 0.28, cached: 0.0028, reasoning: null },
    },
    'deepseek-reasoner': { ...none, favourite: true, reasoningEffort: 'high' as const },
  };
  return {
    ...connected,
    environment,
    set: {
      ...environment,
      pauseAfterTool: true,
      limits: { ...NO_LIMITS, maxCycles: 5, maxTools: 2 },
      commands: { env: ['DATABASE_URL', 'NODE_OPTIONS'], read: null },
    },
    limits: { ...NO_LIMITS, maxCycles: 5, maxTools: 2 },
    endpoints: deepseek ? [{ ...deepseek, models, acceptedFinishReasons: ['done'] }, ...others] : others,
  };
}
