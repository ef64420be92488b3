// Turns of models that say nothing, and what comes of them (P7).

import { CONFIG_BOX } from './fixtures';
import { Recording } from './recording';
import type { Script } from './scripts';

/** The model says nothing twice; the second time it only reasons. */
export const noAnswer: Script = (ids, text, startMs) =>
  new Recording(ids, text, startMs)
    .wait(40)
    .action()
    .wait(300)
    .say("I'll read the loader.")
    .call('call-1', 'read_file', { path: 'src/config.rs' })
    .end('tool_call', 'tool_calls')
    .tools()
    .result('32 lines', CONFIG_BOX, 4)
    .end('tools_done')
    .action()
    .wait(240)
    .end('empty', 'stop')
    .notice('asked_again', 'Asked once more: no answer came.')
    .action()
    .wait(300)
    .think('The person wants to know how the loader works. I have the file now.')
    .end('empty', 'stop')
    .notice('empty_answer', 'The model only reasoned, and came to no answer.')
    .completed('empty');
