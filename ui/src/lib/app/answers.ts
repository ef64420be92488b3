// A person's reply to what a turn waits for (A1, A2, A3, A6, A8).

import { asErrorInfo } from '$lib/backend/backend';
import type { ErrorInfo } from '$lib/generated/ErrorInfo';
import type { Reply } from '$lib/generated/Reply';
import type { OrionWindow } from './window.svelte';

export class Answers {
  constructor(readonly orion: OrionWindow) {}

  /** Null when the core accepted it, else why not. */
  async reply(requestId: string, digest: string, reply: Reply): Promise<ErrorInfo | null> {
    try {
      await this.orion.backend.submit({ type: 'reply', requestId, digest, reply });
    } catch (thrown) {
      return asErrorInfo(thrown);
    }
    await this.orion.queueing.afterAnswer(reply);
    return null;
  }
}
