// The person's own instructions in a scene, and those of its projects.

import type { Instructions } from '$lib/generated/Instructions';
import { FOXES } from './fixtures';

const AGENTS = `# Foxes

Run \`cargo test\` before you say that something works.

- The den is configured in \`foxes.toml\`; never read it from the environment alone.
- Names of foxes are British: \`colour\`, not \`color\`.
`;

/** By project; those for all projects under the empty name. */
const kept = new Map<string, string>();

export function keepOwn(projectId: string | null, text: string): void {
  kept.set(projectId ?? '', text);
}

export function instructions(projectId: string | null): Instructions {
  const here = projectId === null ? '' : (kept.get(projectId) ?? '');
  return {
    agents: projectId === FOXES.projectId ? AGENTS : '',
    agentsBytes: 8_192,
    everywhere: kept.get('') ?? '',
    here,
    ownBytes: 16_384,
  };
}
