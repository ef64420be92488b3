// The one question that a turn waits with (A7): the events that open it, and those that close it. Pure. The rule is that of
// orion-protocol/src/event/questions.rs.

import type { Pending } from '$lib/generated/Pending';
import type { PendingOf } from '$lib/generated/PendingOf';
import type { TurnEvent } from '$lib/generated/TurnEvent';
import type { Turn } from './turn';

/** A question about one of these things. */
export type Asks<T extends PendingOf['type']> = Extract<PendingOf, { type: T }>;

/** The question that is open after an event, where `before` was open until it. */
export function pendingAfter(before: Pending | null, event: TurnEvent): Pending | null {
  switch (event.type) {
    case 'asked':
      return { digest: event.digest, of: event.of };
    case 'answered':
    case 'withdrawn':
      return before?.digest === event.digest ? null : before;
    // Another proposal takes the place of the one that was asked about, or the write is over.
    case 'write_ready':
    case 'write_done':
    case 'completed':
    case 'stopped':
    case 'failed':
      return null;
    default:
      return before;
  }
}

/** The thing that a turn asks about, where it is one of these. */
export function asks<T extends PendingOf['type']>({ pending }: Pick<Turn, 'pending'>, ...types: T[]): Asks<T> | null {
  const isOne = (of: PendingOf): of is Asks<T> => types.some((type) => type === of.type);
  return pending && isOne(pending.of) ? pending.of : null;
}
