// A message on its way, and one that could not be sent.

import type { ErrorInfo } from '$lib/generated/ErrorInfo';
import type { Route } from '$lib/generated/Route';

/** What a message is sent with, beside what the person has chosen for all. */
export interface Sending {
  route?: Route | null;
  /** The turn in whose place it comes (T9). */
  insteadOf?: string | null;
  /** The conversation is cut to half before it (X3). */
  makeRoom?: boolean;
}

/** A message that could not be sent, as it would be sent again. */
export interface Unsent {
  error: ErrorInfo;
  text: string;
  route: Route | null;
  /** The turn in whose place it was to come (T9). */
  insteadOf: string | null;
}
