// What was done in a session, by its journal, as lines for a person (X4).

import type { Fact } from '$lib/generated/Fact';
import { mainArgument } from './words';

export interface FactWords {
  what: string;
  /** The path or the argument that matters. */
  of: string;
  outcome: string;
}

const CALLED = {
  ok: '',
  failed: 'failed',
  denied: 'not allowed',
  timed_out: 'timed out',
  cancelled: 'cancelled',
  duplicate: 'refused',
  malformed: 'not run',
  reused: 'unchanged',
} as const;

const WROTE = {
  written: 'written',
  rejected: 'rejected',
  discarded: 'not written',
  failed: 'failed',
  unknown: 'not known whether it was written',
} as const;

export function factWords(fact: Fact): FactWords {
  switch (fact.type) {
    case 'call':
      return { what: fact.name, of: argument(fact.arguments), outcome: fact.status === null ? 'did not end' : CALLED[fact.status] };
    case 'write': {
      const hunks = fact.rejectedHunks.length > 0 ? `, without ${fact.rejectedHunks.length === 1 ? 'hunk' : 'hunks'} ${fact.rejectedHunks.join(', ')}` : '';
      const outcome = fact.status === null ? 'did not end' : WROTE[fact.status];
      return { what: fact.operation, of: fact.path, outcome: `${outcome}${hunks}${fact.revised ? ', changed by you' : ''}` };
    }
    case 'decision':
      return { what: fact.granted ? 'you allowed' : 'you did not allow', of: fact.name, outcome: fact.summary };
  }
}

/** Long arguments are cut and are no JSON then. */
function argument(json: string): string {
  try {
    return mainArgument(JSON.parse(json)) || json;
  } catch {
    return json;
  }
}
