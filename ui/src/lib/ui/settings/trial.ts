// The result of testing an endpoint.

import type { ErrorInfo } from '$lib/generated/ErrorInfo';
import type { ModelInfo } from '$lib/generated/ModelInfo';

export type Trial =
  | { state: 'none' }
  | { state: 'running' }
  | { state: 'good'; models: ModelInfo[] }
  /** It answers, and does not list the model that was to be saved. */
  | { state: 'unlisted'; models: ModelInfo[]; model: string }
  | { state: 'bad'; error: ErrorInfo };

/** What a list of models says of one. A server that lists none cannot say. */
export const judged = (models: ModelInfo[], model: string): Trial =>
  models.some(({ id }) => id === model) ? { state: 'good', models } : { state: 'unlisted', models, model };

/** Models that could be meant: those with the most of the name in them first. */
export function closest(models: readonly ModelInfo[], model: string, most: number): string[] {
  const parts = model
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((part) => part !== '');
  const score = (id: string) => parts.filter((part) => id.toLowerCase().includes(part)).length;
  return models
    .map(({ id }) => id)
    .toSorted((a, b) => score(b) - score(a))
    .slice(0, most);
}
