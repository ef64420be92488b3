// What was done in a session, by its journal, as lines for a person (X4).

import type { Fact } from '$lib/generated/Fact';
import { words } from '$lib/words';
import { mainArgument } from './words';

export interface FactWords {
  what: string;
  /** The path or the argument that matters. */
  of: string;
  outcome: string;
}

export function factWords(fact: Fact): FactWords {
  switch (fact.type) {
    case 'call':
      return {
        what: fact.name,
        of: argument(fact.arguments),
        outcome: fact.status === null ? words.facts.unended : words.facts.called[fact.status],
      };
    case 'write': {
      const outcome = fact.status === null ? words.facts.unended : words.facts.wrote[fact.status];
      return {
        what: fact.operation,
        of: fact.path,
        outcome: words.facts.writeOutcome(outcome, fact.rejectedHunks, fact.revised),
      };
    }
    case 'decision':
      return {
        what: fact.granted ? words.facts.allowed : words.facts.notAllowed,
        of: fact.name,
        outcome: fact.summary,
      };
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
