// What is set for the models of an endpoint: all of them, and single ones.

import type { Endpoint } from '$lib/generated/Endpoint';
import type { ModelSettings } from '$lib/generated/ModelSettings';
import { setFor } from '$lib/model/favourites';
import { dollars } from '$lib/model/words';
import { words } from '$lib/words';

export const NOTHING: ModelSettings = {
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

export const RESULT_FORMS = ['tool', 'user', 'system'] as const;

export const THINKINGS = ['on', 'off'] as const;

export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

/** What is set for all models of an endpoint. */
export function ofAll({ window, maxOutputTokens, tuning, takesImages, resultsAs }: Endpoint): ModelSettings {
  return {
    ...NOTHING,
    window,
    maxOutputTokens,
    temperature: tuning.temperature ?? null,
    reasoningEffort: tuning.reasoningEffort ?? null,
    thinking: tuning.thinking ?? null,
    takesImages,
    resultsAs,
  };
}

/** Its models by name: favourites first, then its own, then the others that something is set for. */
export function modelsOf(endpoint: Endpoint, added: readonly string[] = []): { model: string; set: ModelSettings }[] {
  const names = [...new Set([endpoint.model, ...Object.keys(endpoint.models), ...added])].filter((name) => name !== '');
  const all = names.map((model) => ({ model, set: setFor(endpoint, model) ?? NOTHING }));
  return [...all.filter(({ set }) => set.favourite), ...all.filter(({ set }) => !set.favourite)];
}

export const isSet = (set: ModelSettings): boolean => factsOf(set).length > 0 || set.favourite;

/** What is set, each in a few words. */
export function factsOf({
  window,
  maxOutputTokens,
  temperature,
  reasoningEffort,
  thinking,
  takesImages,
  resultsAs,
  prices,
}: ModelSettings): string[] {
  const say = words.settings;
  const facts = [
    window === null ? null : say.factWindow(window.toLocaleString('en')),
    maxOutputTokens === null ? null : say.factLongest(maxOutputTokens.toLocaleString('en')),
    temperature === null ? null : say.factTemperature(String(temperature)),
    reasoningEffort === null ? null : say.factEffort(say.efforts[reasoningEffort].toLowerCase()),
    thinking === null ? null : say.factThinking[thinking],
    takesImages === null ? null : say.factImages(takesImages),
    resultsAs === null ? null : say.factResults(say.resultForms[resultsAs].toLowerCase()),
    prices === null ? null : say.factPrices(dollars(prices.prompt), dollars(prices.completion)),
  ];
  return facts.filter((fact) => fact !== null);
}
