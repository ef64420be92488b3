// The home that commands of a project have in a scene, until somebody clears it, and what is refused of what a person gives to commands.

import type { CommandHome } from '$lib/generated/CommandHome';
import type { ErrorInfo } from '$lib/generated/ErrorInfo';
import type { Op } from '$lib/generated/Op';
import { error } from './fixtures';

const BYTES = 2_310_000_000;

/** The projects whose home was cleared. */
const cleared = new Set<string>();

export const clearHome = (projectId: string): void => void cleared.add(projectId);

export const commandHome = (projectId: string): CommandHome => ({
  path: '/home/ada/.local/share/orion/homes/5f0c1f7c2a9b44d0a3c1e9f27d6b8a10',
  bytes: cleared.has(projectId) ? 0 : BYTES,
});

/** As the core refuses a home in use, and a folder with keys. */
export function refusedOfCommands(op: Op): ErrorInfo | null {
  if (op.type === 'clear_command_home')
    return error(
      'turn_active',
      'A turn of this project is at work, and a command of it may use this home.',
      'Wait for its end or stop it, then clear the home.',
    );
  if (op.type === 'save_settings' && op.change.commands.read?.includes('~/.ssh'))
    return error(
      'config_invalid',
      'Commands cannot be given ~/.ssh: keys and passwords are kept in ~/.ssh.',
      'Name a narrower folder, or copy what a command needs into the project.',
    );
  return null;
}
