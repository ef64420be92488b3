// What a replay of a turn came to, in words (T5, T8).

import type { Phase } from '$lib/generated/Phase';
import type { Replay } from '$lib/generated/Replay';
import { count } from './words';

const PHASES: Record<Phase, string> = { action_phase: 'answering', tool_phase: 'a tool step', complete: 'the end' };

/** One line. */
export function outcome({ events, difference }: Replay): string {
  if (difference === null) return events === 1 ? 'The event is the same as when the turn ran.' : `All ${count(events, 'event')} are the same as when the turn ran.`;
  const { number, event, phase, toolBatchId, recorded, field } = difference;
  const where = toolBatchId === null ? PHASES[phase] : `step ${toolBatchId}`;
  if (recorded === null && field === null) return `After the ${count(events, 'recorded event')} there is now a further one: ${event}, in ${where}.`;
  return `Event ${number} of ${events} is not what was recorded: ${event}, in ${where}.`;
}

/** That another machine wrote the journal; null where this one did. */
export function otherMachine({ writtenBy, machine }: Replay): string | null {
  return writtenBy === machine ? null : `Version ${writtenBy} of the turn machine wrote this turn, and this Orion has version ${machine}.`;
}
