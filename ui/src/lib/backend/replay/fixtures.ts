// A small, plausible world for the replaying backend: settings, projects, files, errors, and turns' scripts.

import type { Code } from '$lib/generated/Code';
import type { Endpoint } from '$lib/generated/Endpoint';
import type { EndpointPreset } from '$lib/generated/EndpointPreset';
import type { ErrorInfo } from '$lib/generated/ErrorInfo';
import type { FileEntry } from '$lib/generated/FileEntry';
import type { Project } from '$lib/generated/Project';
import type { ProjectSettings } from '$lib/generated/ProjectSettings';
import type { Mode } from '$lib/generated/Mode';
import type { Route } from '$lib/generated/Route';
import type { Session } from '$lib/generated/Session';
import type { Settings } from '$lib/generated/Settings';
import { type Budget, budgetOf, LIMITS, NO_CHANGE, NO_LIMITS, ofMode } from '$lib/model/bounds';

/** A fixed moment: screenshots and times must not depend on the day. */
export const NOON = Date.UTC(2026, 2, 12, 12, 0, 0);

export const FOXES: Project = {
  projectId: 'p-foxes',
  name: 'foxes',
  path: '/home/ada/code/foxes',
  openedAtMs: NOON,
  available: true,
};
export const SAMPLE: Project = {
  projectId: 'p-sample',
  name: 'Sample',
  path: '/tmp/orion-tour-x1/Sample',
  openedAtMs: NOON,
  available: true,
};
export const TOUR_SUGGESTIONS = [
  'Read seeds.csv again and again',
  'Correct the two mistakes in opening-hours.md',
  'Summarize README.md, and write the summary to summary.md',
];
export const WEBSHOP: Project = {
  projectId: 'p-webshop',
  name: 'webshop',
  path: '/home/ada/code/webshop',
  openedAtMs: NOON - 86_400_000,
  available: true,
};

const PLAIN = {
  allowHttp: false,
  acceptedFinishReasons: [],
  window: null,
  maxOutputTokens: null,
  models: {},
  tuning: {},
  takesImages: null,
  resultsAs: null,
};
const DEMO: Endpoint = { name: 'demo', baseUrl: null, model: 'demo', key: { kind: 'none' }, ...PLAIN };
const DEEPSEEK: Endpoint = {
  name: 'deepseek',
  baseUrl: 'https://api.deepseek.com/v1',
  model: 'deepseek-chat',
  key: { kind: 'keychain' },
  ...PLAIN,
};
const OLLAMA: Endpoint = {
  name: 'ollama',
  baseUrl: 'http://127.0.0.1:11434/v1',
  model: 'qwen3:8b',
  key: { kind: 'none' },
  ...PLAIN,
};

const preset = (
  name: string,
  label: string,
  baseUrl: string,
  keyVariable: string | null,
  model: string | null,
): EndpointPreset => ({
  name,
  label,
  baseUrl,
  keyVariable,
  model,
  local: keyVariable === null,
});

export const PRESETS: EndpointPreset[] = [
  preset('deepseek', 'DeepSeek', 'https://api.deepseek.com/v1', 'DEEPSEEK_API_KEY', 'deepseek-chat'),
  preset('openai', 'OpenAI', 'https://api.openai.com/v1', 'OPENAI_API_KEY', 'gpt-4.1-mini'),
  preset('openrouter', 'OpenRouter', 'https://openrouter.ai/api/v1', 'OPENROUTER_API_KEY', null),
  preset('ollama', 'Ollama', 'http://127.0.0.1:11434/v1', null, null),
  preset('lm-studio', 'LM Studio', 'http://127.0.0.1:1234/v1', null, null),
  preset('llama-cpp', 'llama.cpp', 'http://127.0.0.1:8080/v1', null, null),
];

export function settings(kind: 'bare' | 'connected'): Settings {
  return {
    twoStageEnabled: true,
    mode: 'act',
    // As the engine tells them: null until someone sets a number.
    limits: NO_LIMITS,
    set: NO_CHANGE,
    environment: NO_CHANGE,
    endpoints: kind === 'bare' ? [DEMO] : [DEEPSEEK, OLLAMA, DEMO],
    defaultEndpoint: kind === 'bare' ? null : 'deepseek',
    presets: PRESETS,
    tools: [
      {
        tool: 'search_files',
        permission: null,
        timeoutMs: null,
        maxPerTurn: 4,
        rules: [{ pattern: 'secret/**', permission: 'deny' }],
      },
    ],
    configFile: '/home/ada/.config/orion/config.toml',
    dataDir: '/home/ada/.local/share/orion',
    keychain: true,
    problems: [],
  };
}

/** What a project's own file may say. */
export type ProjectFile = Partial<Pick<ProjectSettings, 'mode' | 'problems' | 'tools'>> & { limits?: Partial<Budget> };

/** As the engine lays a project's file over the user's settings: a number only lowers. */
export function inForce(projectId: string, user: Settings, file: ProjectFile = {}): ProjectSettings {
  const limits = (route: Route, mode: Mode = 'act'): Budget => {
    const own = budgetOf(route, ofMode(route, mode), user.limits);
    const lower = (own: number | null, asked: number | null) =>
      own === null || asked === null ? (own ?? asked) : Math.min(own, asked);
    return Object.fromEntries(
      LIMITS.map(({ key }) => [key, lower(own[key], file.limits?.[key] ?? null)]),
    ) as unknown as Budget;
  };
  return {
    projectId,
    twoStageEnabled: user.twoStageEnabled,
    mode: file.mode ?? user.mode,
    limits: { two_stage: limits('two_stage'), plan: limits('two_stage', 'plan'), unified: limits('unified') },
    asked: { ...NO_CHANGE, mode: file.mode ?? null, limits: { ...NO_LIMITS, ...file.limits } },
    tools: file.tools ?? [],
    problems: file.problems ?? [],
  };
}

export function session(sessionId: string, projectId: string, title: string, hoursAgo: number): Session {
  const atMs = NOON - hoursAgo * 3_600_000;
  return {
    sessionId,
    projectId,
    title,
    createdAtMs: atMs,
    updatedAtMs: atMs,
    turns: 1,
    imported: false,
    pinned: false,
    archived: false,
    happened: { type: 'answered' },
    spent: { costUsd: null, pricedTurns: 0, promptTokens: 0, completionTokens: 0 },
  };
}

export function error(code: Code, message: string, action: string, more: Partial<ErrorInfo> = {}): ErrorInfo {
  return {
    code,
    message,
    action,
    retryable: false,
    detail: null,
    retryAfterS: null,
    requestId: null,
    sessionId: null,
    projectId: null,
    ...more,
  };
}

export const SUGGESTIONS = [
  'What is this project, and how is it put together?',
  'How does src/config.rs work?',
  'Which parts of the code have no tests?',
];

export const FILES: FileEntry[] = [
  ['Cargo.toml', 612],
  ['README.md', 3_804],
  ['docs', null],
  ['docs/guide.md', 9_120],
  ['src', null],
  ['src/cli.rs', 4_410],
  ['src/config.rs', 7_233],
  ['src/den.rs', 2_904],
  ['src/fox.rs', 5_021],
  ['src/main.rs', 1_288],
  ['tests', null],
  ['tests/config.rs', 3_377],
].map(([path, bytes]) => ({ path: String(path), directory: bytes === null, bytes: bytes as number | null }));

export const LISTING = FILES.map(({ path, bytes }) => (bytes === null ? `${path}/` : `${path}  ${bytes}`)).join('\n');

export const CONFIG_RS = `//! Configuration, from three sources: the later wins.

use std::path::Path;

use serde::Deserialize;

#[derive(Debug, Clone, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Config {
    pub den: String,
    pub foxes: u32,
    #[serde(default = "default_pace")]
    pub pace_ms: u64,
}

fn default_pace() -> u64 {
    250
}

/// Reads the file, then the environment, then the flags.
pub fn load(path: &Path, flags: &Flags) -> Result<Config, ConfigError> {
    let file = std::fs::read_to_string(path).map_err(ConfigError::Read)?;
    let mut config: Config = toml::from_str(&file).map_err(ConfigError::Parse)?;
    if let Ok(den) = std::env::var("FOXES_DEN") {
        config.den = den;
    }
    flags.apply(&mut config);
    Ok(config)
}
`;

/** The box of `read_file`: a heading, then each line as its number, a tab and its text. */
export const CONFIG_BOX = `src/config.rs: lines 1-32 of 32, 822 B\n${CONFIG_RS.trimEnd()
  .split('\n')
  .map((line, index) => `${index + 1}\t${line}`)
  .join('\n')}\n`;

export const ANSWER = `The loader in \`src/config.rs\` merges **three sources**, and the later one wins:

1. The file, \`foxes.toml\` by default. An unknown key is an error, because of \`deny_unknown_fields\`.
2. The environment: \`FOXES_DEN\` replaces \`den\`.
3. The flags of the command line, applied last.

\`\`\`rust
let mut config: Config = toml::from_str(&file)?;
if let Ok(den) = std::env::var("FOXES_DEN") {
    config.den = den; // the environment wins over the file
}
flags.apply(&mut config);
\`\`\`

| Key | From the environment | Default |
| --- | --- | --- |
| \`den\` | \`FOXES_DEN\` | none |
| \`foxes\` | no | none |
| \`pace_ms\` | no | 250 |

So a flag beats the environment, and both beat the file. A missing \`pace_ms\` is the only key with a default; without \`den\` or \`foxes\` loading fails with \`ConfigError::Parse\`.
`;

export const REASONING =
  'The person asks how the config loader works. I should look at the files first, then read the loader itself. The listing shows src/config.rs, which is most likely the place. I need not read the tests for a first answer.';
