// Says whether anything came of what a turn was to write (W2). Not here: what a single write came to (diff/words.ts), and what the list of sessions
// says of it, which the store reads (orion-store/src/session.rs).

import type { WriteReport } from '$lib/generated/WriteReport';

/**
 * `not_written`: a write failed or was not finished, and none is on the disk. `rejected`: the person wanted none of
 * them. Null where something was written, may have been, or was not to be.
 */
export function unwritten(writes: readonly Pick<WriteReport, 'status'>[]): 'not_written' | 'rejected' | null {
  const statuses = writes.map(({ status }) => status);
  if (statuses.some((status) => status === 'written' || status === 'unknown')) return null;
  if (statuses.some((status) => status === 'failed' || status === 'discarded')) return 'not_written';
  return statuses.includes('rejected') ? 'rejected' : null;
}
