// The models that a person wants to find first.

import type { Endpoint } from '$lib/generated/Endpoint';
import type { ModelSettings } from '$lib/generated/ModelSettings';

export interface Favourite {
  endpoint: string;
  model: string;
}

/** What the person set for a model, whatever it is called: `toString` is set only where they set it. */
export const setFor = ({ models }: Endpoint, model: string): ModelSettings | undefined =>
  Object.hasOwn(models, model) ? models[model] : undefined;

export const isFavourite = (endpoint: Endpoint, model: string): boolean => setFor(endpoint, model)?.favourite ?? false;

/** Those of all endpoints, in their order. */
export function favouritesOf(endpoints: readonly Endpoint[]): Favourite[] {
  return endpoints.flatMap((endpoint) =>
    Object.keys(endpoint.models)
      .filter((model) => isFavourite(endpoint, model))
      .map((model) => ({ endpoint: endpoint.name, model })),
  );
}

/** What holds for the model with the star turned. */
export function starred(endpoint: Endpoint, model: string): ModelSettings {
  const nothing: ModelSettings = {
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
  const set = setFor(endpoint, model) ?? nothing;
  return { ...set, favourite: !set.favourite };
}
