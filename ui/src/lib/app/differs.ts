// How the next turn of this session would run otherwise than the settings say.

import { words } from '$lib/words';
import { DEMO } from './options';
import type { OrionWindow } from './window.svelte';

/** Names of what was chosen and differs; none where the settings decide. */
export function differences(orion: OrionWindow): string[] {
  const say = words.choices;
  const { options, settings, inForce, mode, route } = orion;
  const endpoint =
    options.endpoint !== null &&
    options.endpoint !== settings?.defaultEndpoint &&
    (options.endpoint !== DEMO || settings?.defaultEndpoint != null);
  const pauses = options.pauseAfterTool ?? settings?.set.pauseAfterTool ?? false;
  const standard =
    settings?.endpoints.find(({ name }) => name === (options.endpoint ?? settings.defaultEndpoint))?.model ?? null;
  const named = (differs: boolean, name: string) => (differs ? [name] : []);
  return [
    ...named(mode !== inForce.mode, mode === 'plan' ? say.plan : say.act),
    ...named(
      route !== (inForce.twoStageEnabled ? 'two_stage' : 'unified'),
      route === 'unified' ? say.unified : say.twoStage,
    ),
    ...named(
      endpoint || (options.model !== null && options.model !== standard),
      options.model ?? options.endpoint ?? '',
    ),
    ...named(pauses !== (settings?.set.pauseAfterTool ?? false), pauses ? say.pauses : say.pausesNot),
    ...named(
      Object.values(options.limits).some((limit) => limit !== null),
      say.limits,
    ),
  ];
}
