// How the models of a scene are spoken to, and what was learned of them.

import type { Spoken } from '$lib/generated/Spoken';

let unlearned = false;

/** Forgets what was learned, as the core does. */
export function unlearn(): void {
  unlearned = true;
}

export function spoken(endpoint: string, model: string): Spoken {
  return {
    endpoint,
    model,
    resultsAs: 'tool',
    resultsSource: 'rendering',
    returnsReasoning: true,
    window: { tokens: 4_096, source: 'endpoint' },
    enlarges: 'OLLAMA_CONTEXT_LENGTH=32768 ollama serve',
    describesTools: true,
    endsInThought: false,
    refused: unlearned ? [] : ['usage_option', 'limit_name'],
    refusedLimit: null,
  };
}
