// A message on its way, and one that could not be sent.

import { asErrorInfo } from '$lib/backend/backend';
import type { ErrorInfo } from '$lib/generated/ErrorInfo';
import type { Route } from '$lib/generated/Route';
import type { Attachment } from '$lib/generated/Attachment';
import { attachedAgain } from '$lib/model/transfer';
import { turnOf } from '$lib/model/chat';
import type { OrionWindow } from './window.svelte';

/** What a message is sent with, beside what the person has chosen for all. */
export interface Sending {
  route?: Route | null;
  /** The turn in whose place it comes (T9). */
  insteadOf?: string | null;
  /** The conversation is cut to half before it (X3). */
  makeRoom?: boolean;
  /** Files that come with it. Left out: those of the turn in whose place it comes, or those that stand with it in the composer. */
  attachments?: readonly Attachment[];
}

/** A message that could not be sent, as it would be sent again. */
export interface Unsent {
  error: ErrorInfo;
  text: string;
  route: Route | null;
  /** The turn in whose place it was to come (T9). */
  insteadOf: string | null;
  attachments: readonly Attachment[];
}

/** A turn that a message began. */
export interface Sent {
  sessionId: string;
  requestId: string;
}

/** Null for a message that began no turn: it could not be sent, or it waits. */
export async function sendMessage(
  orion: OrionWindow,
  text: string,
  { route = null, insteadOf = null, makeRoom = false, attachments }: Sending,
): Promise<Sent | null> {
  // While a turn runs, a message waits for its end (A9); one in the place of another turn cannot.
  const queues = orion.running !== null && insteadOf === null;
  if (orion.sending || orion.readOnly || (orion.running && !queues) || text.trim() === '' || orion.projectId === null)
    return null;
  // The core keeps the order of those that wait, so one need not be there before the next is sent.
  orion.sending = !queues;
  orion.unsent = null;
  const { files } = orion.composing;
  const wasDraft = orion.takeDraft(text);
  const attached = attachmentsOf(orion, wasDraft, insteadOf, attachments);
  const putBack = insteadOf === null ? files.leave(attached) : () => {};
  const release = files.hold();
  let made: string | null = null;
  try {
    const sessionId = orion.sessionId ?? (made = await orion.newSession(orion.projectId));
    const options = {
      ...orion.options,
      route: route ?? orion.options.route,
      insteadOf,
      mentions: true,
      ...(makeRoom && { makeRoom }),
      ...(attached.length > 0 && { attachments: [...attached] }),
    };
    const type = queues ? 'queue_message' : 'start_turn';
    const outcome = await orion.backend.submit({ type, sessionId, text, options });
    orion.composing.sent();
    if (queues) return null;
    orion.tracedId = null;
    orion.rewinding.last = null;
    return outcome.type === 'turn' ? { sessionId, requestId: outcome.requestId } : null;
  } catch (thrown) {
    orion.unsent = { error: asErrorInfo(thrown), text, route, insteadOf, attachments: attached };
    if (wasDraft) orion.returnDraft(text);
    putBack();
    if (made !== null) await unmake(orion, made);
    return null;
  } finally {
    orion.sending = false;
    release();
  }
}

/** A session whose first message was refused is none: the person is where they were, with a chat to begin. */
async function unmake(orion: OrionWindow, sessionId: string): Promise<void> {
  if (orion.sessionId === sessionId) orion.sessionId = null;
  await orion.lists.deleteEmpty(sessionId);
}

/** The attachments of a message. What stands in the composer is as the person sees it, also when it is sent again. */
function attachmentsOf(
  { composing, chat }: OrionWindow,
  wasDraft: boolean,
  insteadOf: string | null,
  attachments: readonly Attachment[] | undefined,
): readonly Attachment[] {
  const { files } = composing.files;
  if (insteadOf !== null) return attachments ?? attachedAgain(turnOf(chat, insteadOf)?.attached ?? []);
  return wasDraft ? files : (attachments ?? []).filter(({ sha256 }) => files.some((file) => file.sha256 === sha256));
}
