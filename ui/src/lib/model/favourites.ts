// The models that a person wants to find first.

import type { Endpoint } from '$lib/generated/Endpoint';
import type { ModelSettings } from '$lib/generated/ModelSettings';

export interface Favourite {
  endpoint: string;
  model: string;
}

export const isFavourite = (endpoint: Endpoint, model: string): boolean => endpoint.models[model]?.favourite ?? false;

/** Those of all endpoints, in their order. */
export function favouritesOf(endpoints: readonly Endpoint[]): Favourite[] {
  return endpoints.flatMap((endpoint) => Object.keys(endpoint.models).filter((model) => isFavourite(endpoint, model)).map((model) => ({ endpoint: endpoint.name, model })));
}

/** What holds for the model with the star turned. */
export function starred(endpoint: Endpoint, model: string): ModelSettings {
  const nothing: ModelSettings = { window: null, maxOutputTokens: null, temperature: null, reasoningEffort: null, takesImages: null, favourite: false, prices: null };
  const set = endpoint.models[model] ?? nothing;
  return { ...set, favourite: !set.favourite };
}
