// An endpoint while a person writes it: from nothing, a preset or an endpoint that is there, to the change to save.

import type { Probe } from '$lib/app/setup.svelte';
import type { Endpoint } from '$lib/generated/Endpoint';
import type { EndpointChange } from '$lib/generated/EndpointChange';
import type { EndpointPreset } from '$lib/generated/EndpointPreset';
import type { KeySource } from '$lib/generated/KeySource';
import type { ModelSizes } from '$lib/generated/ModelSizes';
import { words } from '$lib/words';

const say = words.endpointDraft;

export interface EndpointDraft {
  preset: string | null;
  name: string;
  baseUrl: string;
  apiKey: string;
  keyVariable: string;
  keyHint: string;
  model: string;
  /** The host to which messages may travel unencrypted, as the person agreed. It says nothing of any other host. */
  httpHost: string | null;
  /** Of all its models. */
  sizes: ModelSizes;
  /** Of single ones. */
  models: SizeRow[];
}

/** A model with sizes of its own. A row without a name or a size is not saved. */
export interface SizeRow {
  model: string;
  sizes: ModelSizes;
}

export const NO_SIZES: ModelSizes = { window: null, maxOutputTokens: null };

/** What both can be, in tokens. Mirrors `WindowTokens` and `OutputTokens` of orion-engine, which decide. */
export const WINDOW = { min: 1_024, max: 10_000_000 };
export const OUTPUT = { min: 1, max: 10_000_000 };

export function draftOf(endpoint: Endpoint | null): EndpointDraft {
  return {
    preset: null,
    name: endpoint?.name ?? '',
    baseUrl: endpoint?.baseUrl ?? '',
    apiKey: '',
    keyVariable: endpoint?.key.kind === 'environment' || endpoint?.key.kind === 'unset' ? endpoint.key.name : '',
    keyHint: '',
    model: endpoint?.model ?? '',
    httpHost: endpoint?.allowHttp ? hostOf(endpoint.baseUrl ?? '') : null,
    sizes: { window: endpoint?.window ?? null, maxOutputTokens: endpoint?.maxOutputTokens ?? null },
    models: Object.entries(endpoint?.models ?? {}).flatMap(([model, set]) =>
      set && isSet(set) ? [{ model, sizes: { window: set.window, maxOutputTokens: set.maxOutputTokens } }] : [],
    ),
  };
}

export function fromPreset(draft: EndpointDraft, preset: EndpointPreset): EndpointDraft {
  return {
    ...draft,
    preset: preset.name,
    name: preset.name,
    baseUrl: preset.baseUrl,
    apiKey: '',
    keyVariable: preset.keyVariable ?? '',
    keyHint: preset.local ? say.noKeyNeeded : preset.keyVariable ? say.keyFrom(preset.keyVariable) : '',
    model: preset.model ?? '',
    httpHost: null,
  };
}

/** What is still to be filled in, as a sentence; null when it can be saved. */
export function lacks(draft: EndpointDraft): string | null {
  if (draft.baseUrl.trim() === '') return say.noAddress;
  if (!URL.canParse(draft.baseUrl.trim())) return say.badAddress;
  if (draft.model.trim() === '') return say.noModel;
  if (isInClear(draft.baseUrl) && !allowsHttp(draft)) return say.inClear;
  const all = [draft.sizes, ...draft.models.map(({ sizes }) => sizes)];
  if (!all.every(({ window }) => fits(window, WINDOW))) return say.window(WINDOW.min, WINDOW.max);
  if (!all.every(({ maxOutputTokens }) => fits(maxOutputTokens, OUTPUT))) return say.longest(OUTPUT.min, OUTPUT.max);
  if (draft.models.some(({ model, sizes }) => model.trim() === '' && isSet(sizes))) return say.nameModel;
  return null;
}

const isSet = ({ window, maxOutputTokens }: ModelSizes): boolean => window !== null || maxOutputTokens !== null;

function fits(number: number | null, range: { min: number; max: number }): boolean {
  return number === null || (Number.isInteger(number) && number >= range.min && number <= range.max);
}

/** True for plain HTTP to another computer. Mirrors `check_encrypted` of orion-engine, which decides. */
export function isInClear(baseUrl: string): boolean {
  if (!URL.canParse(baseUrl.trim())) return false;
  const { protocol, hostname: host } = new URL(baseUrl.trim());
  if (protocol !== 'http:') return false;
  return !(host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(\.\d+){3}$/.test(host));
}

/** True where the person agreed that messages travel unencrypted to the host of this address. */
export function allowsHttp({ baseUrl, httpHost }: EndpointDraft): boolean {
  return httpHost !== null && httpHost === hostOf(baseUrl);
}

/** Agrees, or no longer agrees, for the host of the address that is there now. */
export function allowHttp(draft: EndpointDraft, agrees: boolean): void {
  draft.httpHost = agrees ? hostOf(draft.baseUrl) : null;
}

/** Null for what is no URL. */
function hostOf(baseUrl: string): string | null {
  return URL.canParse(baseUrl.trim()) ? new URL(baseUrl.trim()).hostname : null;
}

/** What the field of the key says while it is empty. A key is for one server: for another one it has to be given again. */
export function keyHint(draft: EndpointDraft, endpoint: Endpoint | null): string {
  if (endpoint === null) return draft.keyHint;
  return originOf(draft.baseUrl) === originOf(endpoint.baseUrl ?? '') ? say.keepKey : say.keyAgain;
}

/** Scheme, host and port; what is no URL stays as it is. */
function originOf(baseUrl: string): string {
  return URL.canParse(baseUrl.trim()) ? new URL(baseUrl.trim()).origin : baseUrl.trim();
}

/** `makeDefault` is for an endpoint that is new; one that is there stays what it is for new turns. */
export function changeOf(draft: EndpointDraft, makeDefault: boolean): EndpointChange {
  const baseUrl = draft.baseUrl.trim();
  return {
    name: draft.name.trim() || new URL(baseUrl).hostname,
    baseUrl,
    model: draft.model.trim(),
    apiKey: draft.apiKey === '' ? null : draft.apiKey,
    keyVariable: draft.apiKey !== '' ? null : draft.keyVariable.trim() || null,
    allowHttp: isInClear(baseUrl) && allowsHttp(draft),
    ...draft.sizes,
    models: Object.fromEntries(
      draft.models.flatMap(({ model, sizes }) => (isSet(sizes) ? [[model.trim(), { ...sizes }]] : [])),
    ),
    makeDefault,
  };
}

/** What is tried before it is saved, with the key that it would have. */
export const probeOf = (draft: EndpointDraft, endpoint: Endpoint | null): Probe => ({
  baseUrl: draft.baseUrl.trim(),
  apiKey: draft.apiKey || null,
  keyVariable: draft.apiKey !== '' ? null : draft.keyVariable.trim() || null,
  endpoint: endpoint?.name ?? null,
  allowHttp: allowsHttp(draft),
});

/** Where a key comes from, in words; the key itself never reaches the window. */
export function keyWords(key: KeySource): string {
  switch (key.kind) {
    case 'none':
      return say.keys.none;
    case 'keychain':
      return say.keys.keychain;
    case 'environment':
      return say.keys.environment(key.name);
    case 'memory':
      return say.keys.memory;
    case 'lost':
      return say.keys.lost;
    case 'unset':
      return say.keys.unset(key.name);
  }
}
