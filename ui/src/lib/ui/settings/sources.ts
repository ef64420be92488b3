// Where the value of a setting comes from: the layer that counts most among those that say something. Mirrors `Layers::merged` of orion-engine,
// which decides.

import type { Mode } from '$lib/generated/Mode';
import type { ProjectSettings } from '$lib/generated/ProjectSettings';
import type { Route } from '$lib/generated/Route';
import type { Settings } from '$lib/generated/Settings';
import type { SettingsChange } from '$lib/generated/SettingsChange';
import { ofMode } from '$lib/model/bounds';
import { bytes } from '$lib/model/words';
import { words } from '$lib/words';
import type { Declared } from './places';

export type Value = boolean | number | string | readonly string[];

export type Source =
  { kind: 'default' } | { kind: 'you' } | { kind: 'project'; value: Value } | { kind: 'environment'; variable: string };

/** What a layer says of a setting. */
export function said(layer: SettingsChange, { table, key }: Declared): Value | null {
  const of = (table === null ? layer : layer[table]) as unknown as Record<string, Value | null>;
  return of[key] ?? null;
}

/** True for a list of texts. */
export const isList = (value: Value | null): value is readonly string[] => Array.isArray(value);

/** The texts of a list as they are typed, one on each line. One that comes twice counts once. */
export const linesOf = (typed: string): string[] => [
  ...new Set(
    typed
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  ),
];

/** A value in words. */
export function shown(setting: Declared, value: Value | null): string {
  if (value === null) return words.settings.none;
  if (typeof value === 'boolean') return value ? words.settings.on : words.settings.off;
  if (isList(value)) return value.length === 0 ? words.settings.none : value.join(', ');
  if (setting.kind === 'choice')
    return setting.choices.find((choice) => choice.value === value)?.label ?? String(value);
  return typeof value === 'number' ? value.toLocaleString('en') : value;
}

/** The size beside a number of bytes, which nobody reads off its digits; null of any other value. */
export function sizeOf({ path }: Declared, value: Value | null): string | null {
  return path.endsWith('bytes') && typeof value === 'number' ? bytes(value) : null;
}

/** The change that gives a setting this value. */
export function changeOf({ table, key }: Declared, value: Value, none: SettingsChange): SettingsChange {
  return table === null ? { ...none, [key]: value } : { ...none, [table]: { ...none[table], [key]: value } };
}

/** The value of a setting that nobody set, in the mode of new turns: in plan mode a turn has fewer steps (P3). */
export function defaultOf(setting: Declared, mode: Mode, route: Route): Value | null {
  return (setting.table === 'limits' ? ofMode(route, mode)[setting.key] : null) ?? setting.defaults[route];
}

/** The mode of new turns: the project's, else the person's. */
export const modeOf = (settings: Settings, project: ProjectSettings | null): Mode => project?.mode ?? settings.mode;

export function sourceOf(setting: Declared, settings: Settings, project: ProjectSettings | null, route: Route): Source {
  if (said(settings.environment, setting) !== null) return { kind: 'environment', variable: setting.variable ?? '' };
  const own = said(settings.set, setting);
  const asked = project === null || setting.inProject === 'refused' ? null : said(project.asked, setting);
  const below = own ?? defaultOf(setting, modeOf(settings, project), route);
  const counts =
    asked !== null &&
    (setting.inProject === 'sets' || below === null ? asked !== below : Number(asked) < Number(below));
  if (counts) return { kind: 'project', value: asked };
  return own === null ? { kind: 'default' } : { kind: 'you' };
}
