// What saving does to the settings of a scene, as the core does it.

import type { Endpoint } from '$lib/generated/Endpoint';
import type { ModelChange } from '$lib/generated/ModelChange';
import type { Op } from '$lib/generated/Op';
import type { Settings } from '$lib/generated/Settings';
import type { SettingsChange } from '$lib/generated/SettingsChange';
import { SETTINGS } from '$lib/generated/form';

const SAVING = [
  'save_endpoint',
  'accept_finish_reason',
  'forget_finish_reason',
  'remove_endpoint',
  'save_tool',
  'save_settings',
  'reset_settings',
  'save_model',
] as const;
type Saving = Extract<Op, { type: (typeof SAVING)[number] }>;

export const isSaving = (op: Op): op is Saving => SAVING.some((type) => type === op.type);

export function saved(settings: Settings, op: Saving): Settings {
  const endpointsWith = (name: string, change: (endpoint: Endpoint) => Endpoint) =>
    settings.endpoints.map((endpoint) => (endpoint.name === name ? change(endpoint) : endpoint));
  switch (op.type) {
    case 'save_endpoint':
      return withEndpoint(settings, op);
    case 'accept_finish_reason':
      return {
        ...settings,
        endpoints: endpointsWith(op.endpoint, (endpoint) => ({
          ...endpoint,
          acceptedFinishReasons: [...endpoint.acceptedFinishReasons, op.reason],
        })),
      };
    case 'forget_finish_reason':
      return {
        ...settings,
        endpoints: endpointsWith(op.endpoint, (endpoint) => ({
          ...endpoint,
          acceptedFinishReasons: endpoint.acceptedFinishReasons.filter((reason) => reason !== op.reason),
        })),
      };
    case 'remove_endpoint':
      return { ...settings, endpoints: settings.endpoints.filter((endpoint) => endpoint.name !== op.name) };
    case 'save_tool':
      return { ...settings, tools: [...settings.tools.filter(({ tool }) => tool !== op.tool.tool), op.tool] };
    case 'save_model':
      return {
        ...settings,
        endpoints: endpointsWith(op.change.endpoint, (endpoint) => withModel(endpoint, op.change)),
      };
    case 'save_settings': {
      const { change } = op;
      const said = <T extends object>(layer: T, below: T) =>
        Object.fromEntries(Object.entries(below).map(([key, value]) => [key, layer[key as keyof T] ?? value])) as T;
      return inForce(settings, {
        ...said(change, settings.set),
        limits: said(change.limits, settings.set.limits),
        commands: said(change.commands, settings.set.commands),
      });
    }
    case 'reset_settings': {
      const keysOf = (table: 'limits' | 'commands' | null) =>
        SETTINGS.filter((setting) => setting.table === table && op.keys.includes(setting.path)).map(({ key }) => [
          key,
          null,
        ]);
      const { limits, commands, ...rest } = settings.set;
      return inForce(settings, {
        ...rest,
        ...Object.fromEntries(keysOf(null)),
        limits: { ...limits, ...Object.fromEntries(keysOf('limits')) },
        commands: { ...commands, ...Object.fromEntries(keysOf('commands')) },
      });
    }
  }
}

function withEndpoint(settings: Settings, { change }: Extract<Saving, { type: 'save_endpoint' }>): Settings {
  const { name, baseUrl, model, keyVariable, apiKey, allowHttp, window, maxOutputTokens, makeDefault } = change;
  const key = apiKey
    ? ({ kind: 'keychain' } as const)
    : keyVariable
      ? ({ kind: 'environment', name: keyVariable } as const)
      : ({ kind: 'none' } as const);
  const before = settings.endpoints.find((endpoint) => endpoint.name === name);
  const none = {
    temperature: null,
    reasoningEffort: null,
    thinking: null,
    takesImages: null,
    resultsAs: null,
    favourite: false,
    prices: null,
  };
  const models = Object.fromEntries(
    Object.entries(change.models).flatMap(([model, sizes]) =>
      sizes ? [[model, { ...none, ...before?.models[model], ...sizes }]] : [],
    ),
  );
  const others = settings.endpoints.filter((endpoint) => endpoint.name !== name);
  const endpoint: Endpoint = {
    name,
    baseUrl,
    model,
    key,
    allowHttp,
    acceptedFinishReasons: [],
    window,
    maxOutputTokens,
    models,
    tuning: before?.tuning ?? {},
    takesImages: before?.takesImages ?? null,
    resultsAs: before?.resultsAs ?? null,
  };
  return {
    ...settings,
    endpoints: [endpoint, ...others],
    defaultEndpoint: makeDefault ? name : settings.defaultEndpoint,
  };
}

function withModel(endpoint: Endpoint, { model, settings: set }: ModelChange): Endpoint {
  if (model !== null) return { ...endpoint, models: { ...endpoint.models, [model]: set } };
  const { window, maxOutputTokens, temperature, reasoningEffort, thinking, takesImages, resultsAs } = set;
  return {
    ...endpoint,
    window,
    maxOutputTokens,
    takesImages,
    resultsAs,
    tuning: {
      ...(temperature === null ? {} : { temperature }),
      ...(reasoningEffort === null ? {} : { reasoningEffort }),
      ...(thinking === null ? {} : { thinking }),
    },
  };
}

function inForce(settings: Settings, set: SettingsChange): Settings {
  return {
    ...settings,
    set,
    twoStageEnabled: set.twoStageEnabled ?? true,
    mode: set.mode ?? 'act',
    defaultEndpoint: set.defaultEndpoint ?? settings.defaultEndpoint,
    limits: set.limits,
  };
}
