// Where the inspector asks for what a span does not hold. Each rejects with an `ErrorInfo`.

import type { Rows } from '$lib/app/rows.svelte';
import type { ErrorInfo } from '$lib/generated/ErrorInfo';
import type { RawResponse } from '$lib/generated/RawResponse';
import type { SentRequest } from '$lib/generated/SentRequest';
import type { StoredCall } from '$lib/generated/StoredCall';
import type { WriteView } from '$lib/generated/WriteView';

export interface Sources {
  /** A page of what was sent in a call, from a message on. */
  sent: (call: number, from: number) => Promise<SentRequest>;
  /** What came back in a call; null where nothing of it is kept. */
  raw: (call: number) => Promise<RawResponse | null>;
  toolCall: (toolCallId: string) => Promise<StoredCall>;
  /** A write, and the rows of its difference where it has one. */
  write: (write: number) => Promise<{ view: WriteView; rows: Rows | null }>;
  /** The error of a tool call, or of the turn: with a hint and ids, which no span holds. */
  errorOf: (toolCallId: string | null) => ErrorInfo | null;
  /** Opens the whole of what was sent in a call. */
  onsent: (call: number) => void;
}
