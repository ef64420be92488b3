// What saving does to the settings of a scene, as the core does it.

import type { Op } from '$lib/generated/Op';
import type { Settings } from '$lib/generated/Settings';

type Saving = Extract<Op, { type: 'save_endpoint' | 'accept_finish_reason' | 'remove_endpoint' | 'save_tool' | 'save_settings' }>;

export function saved(settings: Settings, op: Saving): Settings {
  switch (op.type) {
    case 'save_endpoint': {
      const { name, baseUrl, model, keyVariable, apiKey, allowHttp, window, maxOutputTokens, models, makeDefault } = op.change;
      const key = apiKey ? ({ kind: 'keychain' } as const) : keyVariable ? ({ kind: 'environment', name: keyVariable } as const) : ({ kind: 'none' } as const);
      const others = settings.endpoints.filter((endpoint) => endpoint.name !== name);
      return { ...settings, endpoints: [{ name, baseUrl, model, key, allowHttp, acceptedFinishReasons: [], window, maxOutputTokens, models }, ...others], defaultEndpoint: makeDefault ? name : settings.defaultEndpoint };
    }
    case 'accept_finish_reason':
      return {
        ...settings,
        endpoints: settings.endpoints.map((endpoint) => (endpoint.name === op.endpoint ? { ...endpoint, acceptedFinishReasons: [...endpoint.acceptedFinishReasons, op.reason] } : endpoint)),
      };
    case 'remove_endpoint':
      return { ...settings, endpoints: settings.endpoints.filter((endpoint) => endpoint.name !== op.name) };
    case 'save_tool':
      return { ...settings, tools: [...settings.tools.filter(({ tool }) => tool !== op.tool.tool), op.tool] };
    case 'save_settings': {
      const { change } = op;
      const said = <T extends object>(layer: T, below: T) => Object.fromEntries(Object.entries(below).map(([key, value]) => [key, layer[key as keyof T] ?? value])) as T;
      const set = { ...said(change, settings.set), limits: said(change.limits, settings.set.limits) };
      return {
        ...settings,
        set,
        twoStageEnabled: set.twoStageEnabled ?? settings.twoStageEnabled,
        mode: set.mode ?? settings.mode,
        defaultEndpoint: set.defaultEndpoint ?? settings.defaultEndpoint,
        limits: set.limits,
      };
    }
  }
}
