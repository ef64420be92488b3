// A turn with something of everything that a trace shows: three tools, a repeat that is refused, a model call that is tried again, a
// write that waits for a person, and a stop.

import type { TurnIds } from '$lib/generated/TurnIds';
import { EDIT_FOX } from './drafts';
import { CONFIG_BOX, error, LISTING, REASONING } from './fixtures';
import { TWO_STAGE } from './policy';
import { YES } from './recorded';
import { Recording } from './recording';
import type { Script } from './scripts';

const CROWDED = error(
  'overloaded',
  'api.deepseek.com is overloaded or failing (status 503).',
  'Try again in a moment, or choose another endpoint.',
  { retryable: true },
);

const MINUTE = 60_000;

function looked(ids: TurnIds, text: string, startMs: number): Recording {
  return new Recording(ids, text, startMs, startMs, 'deepseek-chat', 'deepseek', { ...TWO_STAGE, maxCycles: 6 })
    .wait(40)
    .action()
    .wait(620)
    .think(REASONING)
    .say('First the folder.')
    .call('call-1', 'list_files', { path: '.', recursive: true })
    .end('tool_call', 'tool_calls')
    .tools()
    .result('12 entries', LISTING, 3)
    .end('tools_done')
    .action()
    .wait(310)
    .retrying(2_000, CROWDED)
    .wait(2_000)
    .wait(1_900)
    .say('The loader is in `src/config.rs`.')
    .call('call-2', 'read_file', { path: 'src/config.rs' })
    .end('tool_call', 'tool_calls')
    .tools()
    .result('32 lines', CONFIG_BOX, 4)
    .end('tools_done')
    .action()
    .wait(430)
    .say('I want every place that reads it.')
    .call('call-3', 'search_files', { pattern: 'Config::load', glob: 'src/**/*.rs' })
    .end('tool_call', 'tool_calls')
    .tools()
    .result('3 matches', 'src/main.rs:14: Config::load', 1_240)
    .end('tools_done')
    .action()
    .wait(280)
    .refuse('read_file', { path: 'src/config.rs' }, 'call-2')
    .end('tool_call', 'tool_calls');
}

function written(ids: TurnIds, text: string, startMs: number): Recording {
  const { path, operation, intent } = EDIT_FOX;
  return looked(ids, text, startMs)
    .action()
    .wait(350)
    .say('Now I write it.')
    .call('call-4', 'write_plan_begin', { intent, target_file: path, operation })
    .end('tool_call', 'tool_calls')
    .tools()
    .result(`${operation} ${path}`, 'Send the content now.', 2)
    .end('tools_done')
    .open(EDIT_FOX)
    .wait(540)
    .content(EDIT_FOX.text, 64, 9)
    .end('answered', 'stop')
    .wait(30)
    .propose();
}

/** Stopped in the middle of the answer. */
export const traced: Script = (ids, text, startMs) =>
  written(ids, text, startMs)
    .wait(4 * MINUTE)
    .answered(YES)
    .wait(20)
    .wrote('written')
    .action()
    .wait(700)
    .say('The patience of a fox is taken from the configuration now. The tests', 12, 40)
    .end('stopped')
    .stopped();

/** Waits for the person. */
export const tracedWaiting: Script = (ids, text, startMs) => written(ids, text, startMs);

/** Many steps, each with a tool, the longest of them in the middle. */
export const tracedLong =
  (steps: number): Script =>
  (ids, text, startMs) => {
    const recording = new Recording(ids, text, startMs, startMs, 'deepseek-chat', 'deepseek', {
      ...TWO_STAGE,
      maxCycles: steps,
    });
    recording.wait(20);
    for (let step = 1; step <= steps; step += 1) {
      const path = `src/den/room_${String(step).padStart(2, '0')}/fox.rs`;
      recording
        .action()
        .wait(step === Math.ceil(steps / 2) ? 9_400 : 180 + ((step * 137) % 900))
        .say('The next one.')
        .call(`call-${step}`, 'read_file', { path })
        .end('tool_call', 'tool_calls')
        .tools()
        .result(`${10 + step} lines`, `${path}: empty\n`, 2 + ((step * 31) % 60))
        .end('tools_done');
    }
    return recording.action(true).wait(400).say('That was all of it.').end('answered', 'stop').completed();
  };
