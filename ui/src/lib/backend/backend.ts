// The one door between the window and Orion's core. Why: components, the reducer and the tests know this interface
// alone, so the same window runs in Tauri and, on recordings, in a plain browser. Not here: any behaviour.

import type { Answer } from '$lib/generated/Answer';
import type { ErrorInfo } from '$lib/generated/ErrorInfo';
import type { Op } from '$lib/generated/Op';
import type { Outcome } from '$lib/generated/Outcome';
import type { Query } from '$lib/generated/Query';
import type { RequestId } from '$lib/generated/RequestId';
import type { Update } from '$lib/generated/Update';

/** The last event of a turn that the window has, for a stream that goes on after it. */
export interface Position {
  requestId: RequestId;
  seq: number;
}

/** Every promise here is rejected with an `ErrorInfo` (J4). */
export interface Backend {
  submit(op: Op): Promise<Outcome>;
  query(query: Query): Promise<Answer>;
  /** Shows everything this much larger than it is: from 0.5 to 2. */
  zoom(factor: number): Promise<void>;
  /** Delivers updates in order and in batches; the returned function ends the delivery. */
  subscribe(onUpdates: (updates: Update[]) => void, after?: Position): Promise<() => void>;
}

/** Questions whose answer has another name. */
const ANSWERED_BY = { probe: 'models', discover: 'discovered', attachment_picture: 'picture' } as const;
const answeredBy = (type: Query['type']): string =>
  type in ANSWERED_BY ? ANSWERED_BY[type as keyof typeof ANSWERED_BY] : type;

export type AnswerOf<Q extends Query['type']> = Extract<
  Answer,
  { type: Q extends keyof typeof ANSWERED_BY ? (typeof ANSWERED_BY)[Q] : Q }
>;

/** Asks, and narrows the answer to the one that belongs to the question. */
export async function ask<Q extends Query>(backend: Backend, query: Q): Promise<AnswerOf<Q['type']>> {
  const answer = await backend.query(query);
  if (answer.type !== answeredBy(query.type)) throw unexpected(`The answer to ${query.type} was ${answer.type}.`);
  return answer as AnswerOf<Q['type']>;
}

function unexpected(detail: string): ErrorInfo {
  return {
    code: 'internal',
    message: 'Orion gave an answer the window does not understand.',
    action: 'Close Orion and open it again.',
    retryable: false,
    detail,
    retryAfterS: null,
    requestId: null,
    sessionId: null,
    projectId: null,
  };
}

/** What was thrown, as an error a person can read. */
export function asErrorInfo(thrown: unknown): ErrorInfo {
  if (typeof thrown === 'object' && thrown !== null && 'code' in thrown && 'message' in thrown)
    return thrown as ErrorInfo;
  return unexpected(thrown instanceof Error ? thrown.message : String(thrown));
}
