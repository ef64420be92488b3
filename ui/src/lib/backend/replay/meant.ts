// Turns of models that say nothing, write a call as text or name it otherwise, and what comes of them (P5, P7, P9).

import type { Given } from '$lib/generated/Given';
import { EDIT_FOX } from './drafts';
import { CONFIG_BOX, error } from './fixtures';
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

/** A call that writes and stands in the text of the model: a person is asked, whatever the settings allow; [`afterLeaked`] goes on from there. */
export const leaked: Script = (ids, text, startMs) => {
  const { path, operation, intent } = EDIT_FOX;
  return new Recording(ids, text, startMs)
    .wait(40)
    .action()
    .wait(300)
    .say('A call like this one changes the file:')
    .call('call-1', 'write_plan_begin', { intent, target_file: path, operation }, { leaked: true })
    .end('tool_call', 'stop')
    .tools()
    .ask({ by: 'leaked' });
};

export function afterLeaked(recording: Recording, given: Given): Recording {
  const ran = recording.answered(given);
  const { path, operation, text } = EDIT_FOX;
  if (given.type === 'allowed')
    return ran
      .result(`${operation} ${path}`, 'Send the content now.', 2)
      .end('tools_done')
      .open(EDIT_FOX)
      .wait(160)
      .content(text, 64, 6)
      .end('answered', 'stop')
      .wait(60)
      .propose();
  const said = 'The user did not allow this call.';
  return ran
    .result('not allowed', said, 0, 'denied', error('tool_denied', said, ''))
    .end('tools_done')
    .action()
    .wait(200)
    .say('It was an example of a call. Nothing is written.')
    .end('answered', 'stop')
    .completed();
}

/** A call that the model wrote into its text, under a name and with an argument that no tool has; what was meant is clear, and it only reads. */
export const readAsMeant: Script = (ids, text, startMs) => {
  const path = 'src/config.rs';
  const made = { name: 'readFile', arguments: { file_path: path } };
  return new Recording(ids, text, startMs)
    .wait(40)
    .action()
    .wait(300)
    .say("I'll read the loader.")
    .call('call-1', 'read_file', { path }, { made, leaked: true })
    .end('tool_call', 'stop')
    .tools()
    .result('32 lines', CONFIG_BOX, 4)
    .end('tools_done')
    .action()
    .wait(200)
    .say('The later source wins.')
    .end('answered', 'stop')
    .completed();
};
