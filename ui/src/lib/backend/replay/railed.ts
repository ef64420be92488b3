// A turn with many steps, for its rail: it reads files one after the other, and answers in the middle of them.

import type { TurnIds } from '$lib/generated/TurnIds';
import { ANSWER } from './fixtures';
import { TWO_STAGE } from './policy';
import { Recording } from './recording';
import type { Script } from './scripts';

/** Runs, after so many of its 24 steps. */
export const railed =
  (steps: number): Script =>
  (ids, text, startMs) =>
    reading(steps, ids, text, startMs).say(ANSWER.slice(0, 520), 24, 12);

/** Has a line for its answer. */
export const railedShort =
  (steps: number): Script =>
  (ids, text, startMs) =>
    reading(steps, ids, text, startMs).say('Yes.').end('answered', 'stop').completed();

/** Reads a file, and goes on when it was paused. */
export const railedUntilPaused: Script = (ids, text, startMs) =>
  reading(3, ids, text, startMs)
    .call('call-4', 'read_file', { path: 'src/part_4.rs' })
    .end('tool_call', 'tool_calls')
    .tools();

function reading(steps: number, ids: TurnIds, text: string, startMs: number): Recording {
  const policy = { ...TWO_STAGE, maxCycles: 24 };
  const turn = new Recording(ids, text, startMs, startMs, 'deepseek-chat', 'deepseek', policy);
  for (let step = 1; step <= steps; step += 1) {
    turn
      .action()
      .wait(200)
      .call(`call-${step}`, 'read_file', { path: `src/part_${step}.rs` })
      .end('tool_call', 'tool_calls')
      .tools()
      .result('32 lines', `// Part ${step}`, 4)
      .end('tools_done');
  }
  return turn.action().wait(300);
}
