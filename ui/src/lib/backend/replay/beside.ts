// Answers that no turn is needed for: files, models, settings.

import type { Answer } from '$lib/generated/Answer';
import type { AppState } from '$lib/generated/AppState';
import type { FileView } from '$lib/generated/FileView';
import type { Op } from '$lib/generated/Op';
import type { Outcome } from '$lib/generated/Outcome';
import type { Project } from '$lib/generated/Project';
import type { Query } from '$lib/generated/Query';
import type { Update } from '$lib/generated/Update';
import { TOOLS } from './approvals';
import { COPY } from './comparisons';
import { lookedAt } from './computers';
import type { Entries } from './compactions';
import { composed, keepDraft } from './composed';
import { keepEdits } from './contexts';
import { CONFIG_RS, error, FILES, inForce, PRESETS, SAMPLE, SUGGESTIONS, TOUR_SUGGESTIONS } from './fixtures';
import { findIn, namedIn } from './namings';
import { clearHome, commandHome } from './homes';
import { instructions, keepOwn } from './own';
import { spoken, unlearn } from './spoken';
import { isPicture, pictureOf } from './pictures';
import type { Scene } from './scene';
import { attachmentOp, attachmentPicture } from './attachments';

/** What an endpoint takes to say which models it has. */
const PROBE_MS = 100;

type Beside = Extract<
  Query,
  {
    type:
      | 'draft'
      | 'attachment_picture'
      | 'messages'
      | 'prompts'
      | 'prompt'
      | 'files'
      | 'find_files'
      | 'mentions'
      | 'file_lines'
      | 'paths'
      | 'picture'
      | 'copy_size'
      | 'suggestions'
      | 'space'
      | 'command_home'
      | 'project_settings'
      | 'tools'
      | 'instructions'
      | 'models'
      | 'spoken'
      | 'probe'
      | 'discover'
      | 'doctor';
  }
>;

/** The file that is read in the recordings; every other one has 5,000 lines. */
function viewOf(path: string, from: number, count: number): FileView {
  if (isPicture(path))
    throw error('file_binary', `\`${path}\` is not text (image/png).`, 'Open it in another program.');
  if (!FILES.some((file) => file.path === path))
    throw error('path_not_found', `There is no \`${path}\`.`, 'Check the name.');
  const lines =
    path === 'src/config.rs'
      ? CONFIG_RS.trimEnd().split('\n')
      : Array.from({ length: 5_000 }, (_, index) => `// line ${index + 1} of ${path}`);
  return {
    path,
    bytes: lines.join('\n').length + 1,
    total: lines.length,
    lines: lines.slice(from - 1, from - 1 + count),
  };
}

type Done = Extract<
  Op,
  {
    type:
      | 'save_draft'
      | 'attach_file'
      | 'attach_dropped'
      | 'paste'
      | 'remove_attachment'
      | 'edit_context'
      | 'edit_entry'
      | 'open_external'
      | 'remove_copy'
      | 'remove_new'
      | 'retry_now'
      | 'save_instructions'
      | 'clear_command_home'
      | 'forget_learned'
      | 'undo_compaction';
  }
>;

/** Does what a scene has to remember of these; what would open elsewhere is told to the test. */
export async function doneBeside(op: Done, entries: Entries): Promise<Outcome> {
  if (op.type === 'attach_file' || op.type === 'attach_dropped' || op.type === 'remove_attachment')
    return attachmentOp(op);
  if (op.type === 'paste') return { type: 'dropped', dropped: { files: [], folders: [] } };
  if (op.type === 'save_draft') keepDraft(op);
  else if (op.type === 'edit_context') keepEdits(op.sessionId, op.edits);
  else if (op.type === 'undo_compaction') entries.undo(op.requestId);
  else if (op.type === 'edit_entry') entries.edit(op.requestId, op.summary);
  else if (op.type === 'forget_learned') unlearn();
  else if (op.type === 'save_instructions') keepOwn(op.projectId, op.text);
  else if (op.type === 'clear_command_home') clearHome(op.projectId);
  else if (op.type === 'open_external') window.dispatchEvent(new CustomEvent('orion:external', { detail: op.what }));
  return { type: 'done' };
}

/** A folder that a person opens, or the sample of the tour. */
export function openedIn(state: AppState, project: Project, tell: (update: Update) => void): Outcome {
  tell({ type: 'project', project });
  if (!state.projects.some(({ projectId }) => projectId === project.projectId)) state.projects.push(project);
  return { type: 'project', project };
}

export async function besideTurns(
  query: Beside,
  { state, projectFile, computer }: Scene,
  pace: number,
): Promise<Answer> {
  switch (query.type) {
    case 'draft':
    case 'messages':
    case 'prompts':
    case 'prompt':
      return composed(query);
    case 'files': {
      const files = FILES.filter((file) => file.path.includes(query.filter)).slice(0, query.limit);
      return { type: 'files', files, truncated: false, watch: { state: 'watching' } };
    }
    case 'mentions':
      return { type: 'mentions', files: namedIn(query.text) };
    case 'find_files': {
      const files = findIn(FILES, query.filter);
      return {
        type: 'find_files',
        files: files.slice(0, query.limit),
        more: files.length > query.limit,
        partial: false,
      };
    }
    case 'file_lines':
      return { type: 'file_lines', file: viewOf(query.path, query.from, query.count) };
    case 'picture':
      return { type: 'picture', picture: pictureOf(query.path) };
    case 'attachment_picture':
      return { type: 'picture', picture: attachmentPicture(query.name, query.sha256) };
    case 'paths':
      return {
        type: 'paths',
        files: query.paths.map(
          (path) =>
            (isPicture(path) ? path : null) ??
            FILES.find((file) => !file.directory && file.path === path.replace(/^\.\//, ''))?.path ??
            null,
        ),
      };
    case 'copy_size':
      return { type: 'copy_size', size: COPY };
    case 'suggestions':
      return {
        type: 'suggestions',
        suggestions: (query.projectId === SAMPLE.projectId ? TOUR_SUGGESTIONS : SUGGESTIONS).map((text) => ({ text })),
        found:
          query.projectId === SAMPLE.projectId
            ? { files: 4, more: false, agents: null, git: false }
            : {
                files: FILES.filter(({ directory }) => !directory).length,
                more: false,
                agents: 'AGENTS.md',
                git: true,
              },
      };
    case 'space':
      return {
        type: 'space',
        space: {
          projects: state.projects.map(({ projectId }, index) => ({ projectId, bytes: 41_300_000 / (index + 1) ** 3 })),
          bytes: 63_000_000,
        },
      };
    case 'command_home':
      return { type: 'command_home', home: commandHome(query.projectId) };
    case 'project_settings':
      return { type: 'project_settings', settings: inForce(query.projectId, state.settings, projectFile) };
    case 'tools':
      return { type: 'tools', tools: TOOLS };
    case 'instructions':
      return { type: 'instructions', instructions: instructions(query.projectId) };
    case 'spoken':
      return { type: 'spoken', spoken: spoken(query.endpoint, query.model ?? 'fox-1') };
    case 'models':
      return {
        type: 'models',
        models: ['deepseek-chat', 'deepseek-reasoner'].map((id) => ({
          id,
          ownedBy: 'deepseek',
          contextLength: null,
          loaded: null,
          tools: null,
          vision: null,
        })),
      };
    case 'probe':
      await new Promise((resolve) => setTimeout(resolve, PROBE_MS * pace));
      if (!query.baseUrl.includes('127.0.0.1') && !query.apiKey && !query.keyVariable && !query.endpoint) {
        throw error(
          'authentication',
          'The endpoint refused to answer without a key.',
          'Give the key of your account there.',
          { detail: 'HTTP 401' },
        );
      }
      return {
        type: 'models',
        models: ['qwen3:8b', 'gemma3:12b'].map((id) => ({
          id,
          ownedBy: null,
          contextLength: null,
          loaded: null,
          tools: null,
          vision: null,
        })),
      };
    case 'doctor':
      return { type: 'doctor', report: await lookedAt(computer, pace) };
    case 'discover':
      return {
        type: 'discovered',
        found: PRESETS.filter(({ name }) => name === 'ollama').map((preset) => ({ ...preset, model: 'qwen3:8b' })),
      };
  }
}
