// How a model was asked to answer, in words.

import type { ModelTuning } from '$lib/generated/ModelTuning';
import { words } from '$lib/words';

/** What was set, each in a few words; none where nothing was. */
export function tuningFacts({ temperature, reasoningEffort }: ModelTuning): string[] {
  const say = words.settings;
  const facts = [
    temperature === undefined ? null : say.factTemperature(String(temperature)),
    reasoningEffort === undefined ? null : say.factEffort(say.efforts[reasoningEffort].toLowerCase()),
  ];
  return facts.filter((fact) => fact !== null);
}
