// How a model was asked to answer, in words.

import type { ModelTuning } from '$lib/generated/ModelTuning';
import { words } from '$lib/words';

/** What was set, each in a few words; none where nothing was. */
export function tuningFacts({ temperature, reasoningEffort, thinking }: ModelTuning): string[] {
  const say = words.settings;
  const facts = [
    temperature === undefined ? null : say.factTemperature(String(temperature)),
    reasoningEffort === undefined ? null : say.factEffort(say.efforts[reasoningEffort].toLowerCase()),
    thinking === undefined ? null : say.factThinking[thinking],
  ];
  return facts.filter((fact) => fact !== null);
}
