// A message by both routes (P2, T9): a session for each, and what either route comes to.

import type { Comparison } from '$lib/generated/Comparison';
import type { CopySize } from '$lib/generated/CopySize';
import type { Route } from '$lib/generated/Route';
import type { Session } from '$lib/generated/Session';
import { NO_LIMITS } from '$lib/model/bounds';
import { ANSWER, CONFIG_BOX, session } from './fixtures';
import { TWO_STAGE } from './policy';
import { Recording } from './recording';
import { answered, type Script } from './scripts';

/** Reads one file twice; the second time it is refused. */
const readsTwice: Script = (ids, text, startMs) =>
  new Recording(ids, text, startMs, startMs, 'deepseek-chat', 'deepseek', {
    ...TWO_STAGE,
    route: 'unified',
    maxCycles: 24,
    maxTools: 32,
    cutAtFirstCall: false,
    refusalsAreFree: false,
  })
    .wait(40)
    .action()
    .wait(300)
    .say('I read the loader.')
    .call('call-1', 'read_file', { path: 'src/config.rs' })
    .end('tool_call', 'tool_calls')
    .tools()
    .result('32 lines', CONFIG_BOX, 4)
    .end('tools_done')
    .action()
    .wait(300)
    .refuse('read_file', { path: 'src/config.rs' }, 'call-1')
    .say(ANSWER)
    .wait(30)
    .end('answered', 'stop')
    .completed();

/** How large a copy of the project is. */
export const COPY: CopySize = { files: 12, bytes: 48_213, leftOut: 2 };

export class Comparisons {
  readonly #routes = new Map<string, Route>();

  make({ ids, text }: Recording, sessions: Session[], routes: readonly Route[], inCopies: boolean): Comparison {
    const title = sessions.find((other) => other.sessionId === ids.sessionId)?.title ?? '';
    const sides = routes.map((route) => {
      const made = session(
        `s-${route}-${this.#routes.size + 1}`,
        ids.projectId,
        `${route === 'unified' ? 'Unified' : 'Two-stage'}: ${title}`,
        0,
      );
      sessions.push(made);
      this.#routes.set(made.sessionId, route);
      return {
        route,
        session: made,
        copy: inCopies ? `/tmp/orion-copy-${route}/foxes` : null,
        options: {
          mode: inCopies ? ('act' as const) : ('plan' as const),
          route,
          endpoint: 'deepseek',
          model: 'deepseek-chat',
          window: null,
          limits: NO_LIMITS,
          pauseAfterTool: null,
          edits: [],
          insteadOf: null,
        },
      };
    });
    return { requestId: ids.requestId, text, sides };
  }

  /** What a message of this session comes to; none where it is no side of a comparison. */
  script(sessionId: string): Script | undefined {
    const route = this.#routes.get(sessionId);
    return route === undefined ? undefined : route === 'unified' ? readsTwice : answered;
  }
}
