// A person's answers to what a turn waits for (A1, A2, A3, A6, A8). Each is null when the core accepted it, else why not.

import { asErrorInfo } from '$lib/backend/backend';
import type { ApprovalAnswer } from '$lib/generated/ApprovalAnswer';
import type { ErrorInfo } from '$lib/generated/ErrorInfo';
import type { Op } from '$lib/generated/Op';
import type { QuestionsAnswer } from '$lib/generated/QuestionsAnswer';
import type { ResultEdit } from '$lib/generated/ResultEdit';
import type { OrionWindow } from './window.svelte';

export class Answers {
  constructor(readonly orion: OrionWindow) {}

  async toCall(requestId: string, digest: string, answer: ApprovalAnswer): Promise<ErrorInfo | null> {
    const refused = await this.#give({ type: 'answer', requestId, digest, answer });
    if (!refused) await this.orion.queueing.afterAnswer(answer);
    return refused;
  }

  toQuestions(requestId: string, digest: string, answer: QuestionsAnswer): Promise<ErrorInfo | null> {
    return this.#give({ type: 'answer_questions', requestId, digest, answer });
  }

  /** Resumes a paused turn with what the person left of its results. */
  toPause(requestId: string, digest: string, edits: ResultEdit[]): Promise<ErrorInfo | null> {
    return this.#give({ type: 'resume_paused', requestId, digest, edits });
  }

  async #give(op: Op): Promise<ErrorInfo | null> {
    try {
      await this.orion.backend.submit(op);
      return null;
    } catch (thrown) {
      return asErrorInfo(thrown);
    }
  }
}
