// What a session has cost so far, in words. Pure.

import type { Session } from '$lib/generated/Session';
import { words } from '$lib/words';

/** `This session has used 45,210 tokens so far, for at least $0.02.`; null while no turn has ended. */
export function spentWords({ turns, spent }: Session): string | null {
  const tokens = spent.promptTokens + spent.completionTokens;
  if (tokens === 0) return null;
  return spent.costUsd === null
    ? words.spending.noCost(tokens)
    : words.spending.cost(tokens, spent.costUsd, spent.pricedTurns < turns);
}
