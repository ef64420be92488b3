// Where each setting has its place: on which page, in which group. Everything that `config.toml` and `prices.toml` can say has one: the declared
// settings by their keys, the tables with names of the person's own by hand. A test holds both against what the core declares.

import { SETTINGS } from '$lib/generated/form';
import { words } from '$lib/words';

const say = words.settings;

export const PAGES = ['models', 'limits', 'permissions', 'appearance', 'keys', 'storage', 'project'] as const;
export type PageId = (typeof PAGES)[number];

export type Declared = (typeof SETTINGS)[number];

/** The declared settings of each page, in groups. */
export const GROUPS = {
  limits: {
    budget: [
      'limits.max_cycles',
      'limits.max_tools',
      'limits.max_duplicates',
      'limits.max_seconds',
      'limits.max_command_seconds',
      'limits.max_cost_usd',
      'limits.max_output_tokens',
      'limits.max_thinking_tokens',
      'limits.max_file_bytes',
    ],
    course: ['two_stage_enabled', 'compact_at_cuts', 'result_bytes'],
    files: ['strict_end_line', 'write_session_idle_ms'],
    provider: ['retry_s', 'idle_timeout_s'],
  },
  permissions: { general: ['mode', 'pause_after_tool'], commands: ['commands.env', 'commands.read'] },
  appearance: { outside: ['notifications', 'editor'] },
  storage: { raw: ['keep_raw_responses', 'raw_responses_days', 'raw_responses_mib'] },
  project: { checks: ['checks', 'repair'], agents: ['instructions_bytes'] },
} as const satisfies Partial<Record<PageId, Record<string, readonly string[]>>>;

/** Shown where the list of endpoints chooses it, and not as a field of its own. */
const CHOSEN_IN_A_LIST = 'default_endpoint';

export interface SettingPlace {
  page: PageId;
  /** The part of the page that it is in: `data-place`. */
  anchor: string;
  label: string;
  about: string;
  /** More words that a search looks at. */
  hint?: string;
  /** What the files call it, and a variable or a flag that sets it. */
  keys: readonly string[];
}

export const declaredAt = (path: string): Declared | undefined => SETTINGS.find((setting) => setting.path === path);

/** What it is, without the marks of Markdown. */
export const aboutOf = ({ about, unset }: Declared): string =>
  [about, unset]
    .filter((part) => part !== null)
    .join('; ')
    .replaceAll('`', '');

function declaredPlaces(): SettingPlace[] {
  const placed = Object.entries(GROUPS).flatMap(([page, groups]) =>
    Object.values(groups).flatMap((paths: readonly string[]) => paths.map((path) => ({ page: page as PageId, path }))),
  );
  return placed.flatMap(({ page, path }) => {
    const setting = declaredAt(path);
    if (!setting) return [];
    const keys = [path, setting.variable, setting.flag === null ? null : `--${setting.flag}`].filter(
      (key) => key !== null,
    );
    return [{ page, anchor: path, label: setting.label, about: aboutOf(setting), hint: setting.hint, keys }];
  });
}

const ENDPOINT = 'endpoints.NAME';
const MODEL = 'endpoints.NAME.models.MODEL';
const PRICE = 'NAME.MODEL';

/** What is no declared setting: tables with names of the person's own, and what the files do not have. */
const OTHERS: readonly (Omit<SettingPlace, 'label' | 'about'> & { name: keyof typeof say.places })[] = [
  {
    page: 'models',
    anchor: 'endpoints',
    name: 'endpoints',
    keys: [CHOSEN_IN_A_LIST, 'ORION_ENDPOINT', `${ENDPOINT}.base_url`, `${ENDPOINT}.model`, `${ENDPOINT}.allow_http`],
  },
  {
    page: 'models',
    anchor: 'of-models',
    name: 'window',
    keys: [`${ENDPOINT}.window`, `${MODEL}.window`, 'ORION_WINDOW'],
  },
  {
    page: 'models',
    anchor: 'of-models',
    name: 'longestAnswer',
    keys: [`${ENDPOINT}.max_output_tokens`, `${MODEL}.max_output_tokens`],
  },
  {
    page: 'models',
    anchor: 'of-models',
    name: 'temperature',
    keys: [`${ENDPOINT}.temperature`, `${MODEL}.temperature`],
  },
  {
    page: 'models',
    anchor: 'of-models',
    name: 'effort',
    keys: [`${ENDPOINT}.reasoning_effort`, `${MODEL}.reasoning_effort`],
  },
  { page: 'models', anchor: 'of-models', name: 'thinking', keys: [`${ENDPOINT}.thinking`, `${MODEL}.thinking`] },
  { page: 'models', anchor: 'of-models', name: 'results', keys: [`${ENDPOINT}.results_as`, `${MODEL}.results_as`] },
  { page: 'models', anchor: 'of-models', name: 'images', keys: [`${ENDPOINT}.takes_images`, `${MODEL}.takes_images`] },
  { page: 'models', anchor: 'of-models', name: 'favourite', keys: [`${MODEL}.favourite`] },
  {
    page: 'models',
    anchor: 'of-models',
    name: 'prices',
    keys: [`${PRICE}.prompt`, `${PRICE}.completion`, `${PRICE}.cached`, `${PRICE}.reasoning`, 'prices.toml'],
  },
  { page: 'models', anchor: 'of-models', name: 'finishReasons', keys: [`${ENDPOINT}.accepted_finish_reasons`] },
  {
    page: 'permissions',
    anchor: 'tools',
    name: 'tools',
    keys: ['tools.NAME.permission', 'tools.NAME.rules', 'tools.NAME.max_per_turn', 'tools.NAME.timeout_ms'],
  },
  { page: 'permissions', anchor: 'command-home', name: 'commandHome', keys: [] },
  { page: 'permissions', anchor: 'approvals', name: 'approvals', keys: [] },
  { page: 'appearance', anchor: 'theme', name: 'theme', keys: [] },
  { page: 'appearance', anchor: 'text-size', name: 'textSize', keys: [] },
  {
    page: 'keys',
    anchor: 'keys',
    name: 'apiKeys',
    keys: [
      `${ENDPOINT}.key_variable`,
      `${ENDPOINT}.key_variable_confirmed`,
      `${ENDPOINT}.keychain`,
      `${ENDPOINT}.key_not_kept`,
    ],
  },
  { page: 'keys', anchor: 'shortcuts', name: 'shortcuts', keys: [] },
  { page: 'storage', anchor: 'space', name: 'space', keys: [] },
  { page: 'storage', anchor: 'folders', name: 'folders', keys: ['ORION_DATA_DIR', 'ORION_CONFIG_DIR', 'config.toml'] },
  { page: 'project', anchor: 'file', name: 'projectFile', keys: ['.orion/config.toml'] },
  { page: 'project', anchor: 'checks', name: 'checks', keys: [] },
  { page: 'project', anchor: 'agents', name: 'agents', keys: ['AGENTS.md'] },
  { page: 'project', anchor: 'own', name: 'own', keys: ['instructions.md'] },
];

export const PLACES: readonly SettingPlace[] = [
  ...declaredPlaces(),
  ...OTHERS.map(({ name, ...place }) => ({ ...place, ...say.places[name] })),
];

/** The places that have every one of the typed words in their name, their description or a key. Those with the first of them in the name come first. */
export function found(typed: string): SettingPlace[] {
  const wanted = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const first = wanted[0];
  if (first === undefined) return [];
  const text = ({ page, label, about, hint = '', keys }: SettingPlace) =>
    [label, about, hint, say.pages[page], ...keys].join(' ').toLowerCase();
  const matching = PLACES.filter((place) => wanted.every((word) => text(place).includes(word)));
  const inName = ({ label }: SettingPlace) => (label.toLowerCase().includes(first) ? 0 : 1);
  return matching.sort((one, other) => inName(one) - inName(other));
}
