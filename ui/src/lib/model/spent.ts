// What a session has cost so far, in words. Pure.

import type { Session } from '$lib/generated/Session';
import { count, dollars } from './words';

/** `This chat has used 45,210 tokens so far, for at least $0.02.`; null while no turn has ended. */
export function spentWords({ turns, spent }: Session): string | null {
  const tokens = spent.promptTokens + spent.completionTokens;
  if (tokens === 0) return null;
  const used = `This chat has used ${count(tokens, 'token')} so far`;
  if (spent.costUsd === null) return `${used}. What they cost is not known.`;
  return `${used}, for ${spent.pricedTurns < turns ? 'at least ' : ''}${dollars(spent.costUsd)}.`;
}
