// The queues of the recorded sessions (A9): kept as the core keeps them, and gone on with after a turn that was answered.

import type { Op } from '$lib/generated/Op';
import type { Outcome } from '$lib/generated/Outcome';
import type { Queue } from '$lib/generated/Queue';
import type { QueuedMessage } from '$lib/generated/QueuedMessage';
import type { StopReason } from '$lib/generated/StopReason';
import type { TurnOptions } from '$lib/generated/TurnOptions';
import { NO_LIMITS } from '$lib/model/bounds';
import { error } from './fixtures';
import { cameBack, left } from './attachments';

export type QueueOp = Extract<
  Op,
  {
    type:
      | 'queue_message'
      | 'edit_queued'
      | 'move_queued'
      | 'remove_queued'
      | 'send_queued'
      | 'release_queue'
      | 'take_queue';
  }
>;

export const queuedTexts = (texts: readonly string[]): QueuedMessage[] =>
  texts.map((text, at) => ({
    queuedId: `q-there-${at}`,
    text,
    options: {
      mode: null,
      route: null,
      endpoint: null,
      model: null,
      window: null,
      limits: NO_LIMITS,
      pauseAfterTool: null,
      edits: [],
      insteadOf: null,
    },
  }));

/** What a queue does to its session. */
export interface Session {
  /** Sends a message. */
  start: (sessionId: string, text: string, options: TurnOptions) => void;
  /** Stops the turn that runs. */
  stop: (sessionId: string) => void;
  runs: (sessionId: string) => boolean;
  tell: (sessionId: string, queue: Queue) => void;
}

export class Queues {
  readonly #queues = new Map<string, Queue>();
  #made = 0;

  constructor(private readonly session: Session) {}

  of(sessionId: string): Queue {
    return this.#queues.get(sessionId) ?? { messages: [], held: false };
  }

  change(op: QueueOp): Outcome {
    if (op.type === 'queue_message') {
      const { sessionId, text, options } = op;
      const { messages, held } = this.of(sessionId);
      const queuedId = `q-${++this.#made}`;
      left(sessionId, options.attachments ?? []);
      this.set(sessionId, { messages: [...messages, { queuedId, text, options }], held });
      return { type: 'queued', queuedId };
    }
    if (op.type === 'take_queue') {
      const { messages } = this.of(op.sessionId);
      cameBack(
        op.sessionId,
        messages.flatMap(({ options }) => options.attachments ?? []),
      );
      this.set(op.sessionId, { messages: [], held: false });
      return { type: 'taken', messages };
    }
    if (op.type === 'release_queue') {
      this.set(op.sessionId, { ...this.of(op.sessionId), held: false });
      if (!this.session.runs(op.sessionId)) this.#next(op.sessionId);
      return { type: 'done' };
    }
    const [sessionId, { messages, held }, message] = this.#find(op.queuedId);
    const others = messages.filter((other) => other !== message);
    if (op.type === 'send_queued') {
      this.session.stop(sessionId);
      this.set(sessionId, { messages: [message, ...others], held: false });
      this.#next(sessionId);
    } else if (op.type === 'edit_queued')
      this.set(sessionId, { messages: messages.with(messages.indexOf(message), { ...message, text: op.text }), held });
    else if (op.type === 'move_queued') this.set(sessionId, { messages: others.toSpliced(op.to, 0, message), held });
    else this.set(sessionId, { messages: others, held });
    return { type: 'done' };
  }

  /** A turn of the session has ended. */
  ended(sessionId: string, reason: StopReason): void {
    const queue = this.of(sessionId);
    if (queue.messages.length === 0 || queue.held) return;
    if (reason === 'answered') this.#next(sessionId);
    else this.set(sessionId, { ...queue, held: true });
  }

  set(sessionId: string, queue: Queue): void {
    this.#queues.set(sessionId, queue);
    this.session.tell(sessionId, queue);
  }

  #next(sessionId: string): void {
    const {
      messages: [first, ...rest],
      held,
    } = this.of(sessionId);
    if (!first) return;
    this.set(sessionId, { messages: rest, held });
    this.session.start(sessionId, first.text, first.options);
  }

  #find(queuedId: string): [string, Queue, QueuedMessage] {
    for (const [sessionId, queue] of this.#queues) {
      const message = queue.messages.find((other) => other.queuedId === queuedId);
      if (message) return [sessionId, queue, message];
    }
    throw error(
      'not_waiting',
      'This message is no longer in the queue: it was sent or removed.',
      'Look at the session, or send it again.',
    );
  }
}
