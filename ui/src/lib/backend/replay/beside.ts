// Answers that no turn is needed for: files, models, settings.

import type { Answer } from '$lib/generated/Answer';
import type { AppState } from '$lib/generated/AppState';
import type { Query } from '$lib/generated/Query';
import { TOOLS } from './approvals';
import { COPY } from './comparisons';
import { error, FILES, inForce, PRESETS, type ProjectFile, SUGGESTIONS } from './fixtures';

/** What an endpoint takes to say which models it has. */
const PROBE_MS = 100;

type Beside = Extract<Query, { type: 'files' | 'copy_size' | 'suggestions' | 'space' | 'project_settings' | 'tools' | 'models' | 'probe' | 'discover' }>;

export async function besideTurns(query: Beside, state: AppState, projectFile: ProjectFile | undefined, pace: number): Promise<Answer> {
  switch (query.type) {
    case 'files': {
      const files = FILES.filter((file) => file.path.includes(query.filter)).slice(0, query.limit);
      return { type: 'files', files, truncated: false, watch: { state: 'watching' } };
    }
    case 'copy_size':
      return { type: 'copy_size', size: COPY };
    case 'suggestions':
      return { type: 'suggestions', suggestions: SUGGESTIONS.map((text) => ({ text })) };
    case 'space':
      return { type: 'space', space: { projects: state.projects.map(({ projectId }, index) => ({ projectId, bytes: 41_300_000 / (index + 1) ** 3 })), bytes: 63_000_000 } };
    case 'project_settings':
      return { type: 'project_settings', settings: inForce(query.projectId, state.settings, projectFile) };
    case 'tools':
      return { type: 'tools', tools: TOOLS };
    case 'models':
      return { type: 'models', models: ['deepseek-chat', 'deepseek-reasoner'].map((id) => ({ id, ownedBy: 'deepseek', contextLength: null })) };
    case 'probe':
      await new Promise((resolve) => setTimeout(resolve, PROBE_MS * pace));
      if (!query.baseUrl.includes('127.0.0.1') && !query.apiKey) {
        throw error('authentication', 'The endpoint refused to answer without a key.', 'Give the key of your account there.', { detail: 'HTTP 401' });
      }
      return { type: 'models', models: ['qwen3:8b', 'gemma3:12b'].map((id) => ({ id, ownedBy: null, contextLength: null })) };
    case 'discover':
      return { type: 'discovered', found: PRESETS.filter((preset) => preset.name === 'ollama') };
  }
}
