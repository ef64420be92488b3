// Compactions of the recorded scenes, and what stands in the place of their conversations (X4).

import type { Entry } from '$lib/generated/Entry';
import type { EntryView } from '$lib/generated/EntryView';
import type { Envelope } from '$lib/generated/Envelope';
import { error } from './fixtures';
import { Recording } from './recording';
import type { Script } from './scripts';

export const ENTRY: Entry = {
  nonce: '5f0e1d2c3b4a5968',
  summary:
    'The person wants the **config loader** to say which layer a value comes from, and nothing else changed.\n\n- `src/config.rs` merges defaults, the file and the environment, in this order (lines 40–88).\n- Still to do: a test for two layers that set the same key.',
  edited: false,
  facts: [
    { type: 'call', name: 'list_files', arguments: '{"path":"src"}', status: 'ok', sha256: 'a1'.repeat(32) },
    { type: 'call', name: 'read_file', arguments: '{"path":"src/config.rs"}', status: 'ok', sha256: 'b2'.repeat(32) },
    { type: 'decision', name: 'write_plan_begin', summary: 'src/config.rs: 12 lines added, 3 removed', granted: true },
    {
      type: 'write',
      path: 'src/config.rs',
      operation: 'edit',
      status: 'written',
      sha256: 'c3'.repeat(32),
      bytes: 4_812,
      rejectedHunks: [2],
      revised: false,
    },
  ],
};

const begun: Script = (ids, _text, startMs) =>
  new Recording(ids, '', startMs, startMs, 'deepseek-chat', 'deepseek', undefined, null, 'compact')
    .wait(40)
    .action()
    .wait(180);

export const summingUp: Script = (ids, text, startMs) => begun(ids, text, startMs).say(ENTRY.summary.slice(0, 140));

/** It was a turn for a summary, and ended with that. */
export function hasCompacted(envelopes: readonly Envelope[]): boolean {
  const [begun, ended] = [envelopes[0]?.event, envelopes.at(-1)?.event];
  return begun?.type === 'turn_started' && begun.purpose === 'compact' && ended?.type === 'completed';
}

export const compacted: Script = (ids, text, startMs) =>
  begun(ids, text, startMs).say(ENTRY.summary).end('answered', 'stop').compacted(12, 23_400, 910, ENTRY).completed();

export const notCompacted: Script = (ids, text, startMs) =>
  begun(ids, text, startMs)
    .say('I will look at one more file first.')
    .end('answered', 'tool_calls')
    .notice('not_compacted', 'The conversation was not compacted: it is as it was.')
    .failed(
      error(
        'summary_unusable',
        'The model called a tool in the place of a summary.',
        'Try again, or choose another model.',
      ),
    );

export const tooLong: Script = (ids, text, startMs) =>
  new Recording(ids, text, startMs)
    .wait(40)
    .action()
    .wait(180)
    .end('failed')
    .failed(
      error(
        'context_too_long',
        'The conversation is too long for deepseek-chat.',
        'Make room, or start a new session.',
      ),
    );

/** The entries of the turns that made one. */
export class Entries {
  #views = new Map<string, EntryView>();

  of(requestId: string): EntryView {
    const known = this.#views.get(requestId) ?? { requestId, state: 'in_force', entry: ENTRY, text: ENTRY.summary };
    this.#views.set(requestId, known);
    return known;
  }

  edit(requestId: string, summary: string): void {
    const view = this.of(requestId);
    this.#views.set(requestId, { ...view, entry: { ...view.entry, summary, edited: true } });
  }

  undo(requestId: string): void {
    this.#views.set(requestId, { ...this.of(requestId), state: 'undone' });
  }

  undone(requestId: string): boolean {
    return this.#views.get(requestId)?.state === 'undone';
  }
}
