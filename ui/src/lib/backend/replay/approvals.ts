// The approvals that the replayed person keeps, and the tools that they are about.

import type { Given } from '$lib/generated/Given';
import type { KeptApproval } from '$lib/generated/KeptApproval';
import type { PendingOf } from '$lib/generated/PendingOf';
import type { Reply } from '$lib/generated/Reply';
import type { ToolInfo } from '$lib/generated/ToolInfo';
import { error, FOXES, NOON } from './fixtures';
import { YES } from './recorded';

const kept = (
  approvalId: string,
  pattern: string,
  sessionTitle: string | null,
  usedAtMs: number | null,
): KeptApproval => ({
  approvalId,
  keptFor: sessionTitle === null ? 'project' : 'session',
  tool: 'write_plan_begin',
  pattern,
  projectId: FOXES.projectId,
  path: FOXES.path,
  sessionId: sessionTitle === null ? null : 's-loader',
  sessionTitle,
  requestId: 't-1',
  createdAtMs: NOON,
  usedAtMs,
});

export const KEPT = [
  kept('k-1', 'docs/guide.md', null, NOON),
  kept('k-2', 'src/config.rs', 'How does the config loader work?', null),
];

const SEARCH = {
  properties: {
    pattern: { type: 'string' },
    glob: { type: 'string' },
    path: { type: 'string', default: '.' },
    max_results: { type: 'integer', default: 100 },
  },
};
export const TOOLS: ToolInfo[] = [
  {
    name: 'search_files',
    description: 'Searches.',
    readOnly: true,
    permission: 'ask',
    maxPerTurn: 4,
    parameters: SEARCH,
  },
];

/** The rule that a yes is kept as. */
export function ruleOf(reply: Reply, of: PendingOf): Pick<KeptApproval, 'tool' | 'pattern' | 'line'> {
  if (of.type !== 'call' || !of.command) return { tool: 'search_files', pattern: '.' };
  if (of.command.level === 'files_only') return { tool: 'run_command', pattern: of.keeps ?? '', line: of.command.line };
  if (reply.type !== 'allow_words') return { tool: 'run_command', pattern: '**' };
  const rules = (of.command.runs ?? []).map(({ words }, at) => words.slice(0, reply.words[at]).join(' '));
  return { tool: 'run_command', pattern: rules.filter((rule) => rule !== '').join('; ') };
}

/** What the core makes of a yes or no, or why it does not take it. */
export function givenOf(
  reply: Extract<Reply, { type: 'allow' | 'allow_words' | 'allow_edited' | 'allow_outside' | 'reject' }>,
): Given {
  if (reply.type === 'reject') return { type: 'rejected', reason: reply.reason, stopped: reply.stop };
  if (reply.type === 'allow' || reply.type === 'allow_words') return YES;
  if (reply.type === 'allow_outside') return { type: 'allowed', edited: null, kept: null, outside: true };
  const args = reply.arguments;
  if (typeof args['path'] === 'string' && args['path'].startsWith('..'))
    throw error('path_outside', 'A path of these arguments leads out of the project.', 'Name one in the project.');
  return {
    type: 'allowed',
    edited: {
      arguments: args,
      signature: `${typeof args['command'] === 'string' ? 'run_command' : 'search_files'} ${JSON.stringify(args)}`,
    },
    kept: null,
  };
}
