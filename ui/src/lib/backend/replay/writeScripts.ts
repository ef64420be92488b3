// Turns with a write session, as the core would run them (W).

import type { TurnIds } from '$lib/generated/TurnIds';
import type { Draft } from './desk';
import type { RepeatsChoice } from '$lib/generated/RepeatsChoice';
import { EDIT_FOX, guide, HOSTILE, NEW_GUIDE, RULE, STYLE, STYLE_ONCE } from './drafts';
import { error } from './fixtures';
import { NO, YES } from './recorded';
import { Recording } from './recording';
import type { Script } from './scripts';

export const WRITE_REQUEST = 'Take the patience of a fox from the configuration.';

function opened(draft: Draft, ids: TurnIds, text: string, startMs: number): Recording {
  const begun = new Recording(ids, text, startMs)
    .wait(40)
    .action()
    .wait(200)
    .say('I write it as one file, so that you can look at it first.');
  return opening(begun, draft);
}

/** The model asks to write, and may. */
export function opening(recording: Recording, draft: Draft): Recording {
  const { path, operation, intent } = draft;
  return recording
    .call(`call-${recording.desks.length + 1}`, 'write_plan_begin', { intent, target_file: path, operation })
    .end('tool_call', 'tool_calls')
    .tools()
    .result(`${operation} ${path}`, 'Send the content now.', 2)
    .end('tools_done')
    .open(draft)
    .wait(160);
}

/** Stops in the middle of the content. */
export const writing =
  (draft: Draft, part: string): Script =>
  (ids, text, startMs) =>
    opened(draft, ids, text, startMs).content(part, 32, 8);

/** The whole way to the preview, where it waits. */
export const proposing =
  (draft: Draft, gapMs = 6): Script =>
  (ids, text, startMs) => {
    const half = Math.floor(draft.text.length / 2);
    const size = Math.max(32, Math.ceil(draft.text.length / 400));
    const begun = opened(draft, ids, text, startMs).content(draft.text.slice(0, half), size, gapMs);
    const whole = draft.seams ? begun.end('length', 'length').prompt().wait(80) : begun;
    return whole.content(draft.text.slice(half), size, gapMs).end('answered', 'stop').wait(60).propose();
  };

export const checking: Script = (ids, text, startMs) =>
  writing(NEW_GUIDE, NEW_GUIDE.text)(ids, text, startMs).end('answered', 'stop');

export const correcting: Script = (ids, text, startMs) =>
  opened(HOSTILE, ids, text, startMs)
    .content(HOSTILE.text)
    .end('answered', 'stop')
    .faulty(HOSTILE.faults ?? [])
    .prompt();

function decided(recording: Recording, rejected: number[] | null): Recording {
  const answered = recording.answered(rejected === null ? NO : YES);
  return rejected === null ? answered.wrote('rejected') : answered.wait(20).wrote('written', null, rejected);
}

/** How a decided write goes on. */
export type GoesOn = (recording: Recording, rejected: number[] | null) => Recording;

/** Another file is begun, and is still on its way. */
export const withAnother: GoesOn = (recording, rejected) =>
  opening(decided(recording, rejected).action().wait(100), NEW_GUIDE).content(guide(4), 32, 8);

export function afterWrite(recording: Recording, rejected: number[] | null): Recording {
  const granted = rejected !== null;
  const { path } = recording.desks.at(-1)?.draft ?? {};
  return decided(recording, rejected)
    .action()
    .wait(120)
    .say(granted ? `\`${path}\` is written.` : `Then \`${path}\` stays as it was.`)
    .end('answered', 'stop')
    .completed();
}

export const ended =
  (draft: Draft, rejected: number[] | null): Script =>
  (ids, text, startMs) =>
    afterWrite(proposing(draft)(ids, text, startMs), rejected);

export const refusedByDisk: Script = (ids, text, startMs) =>
  proposing(EDIT_FOX)(ids, text, startMs)
    .answered(YES)
    .wrote(
      'failed',
      error('write_failed', 'The disk is full: src/fox.rs is as it was.', 'Make room, then ask for it again.', {
        detail: 'No space left on device (os error 28)',
      }),
    )
    .action()
    .wait(100)
    .say('The disk refused the file.')
    .end('answered', 'stop')
    .completed();

/** The model never finished the file, and said so. */
export const gaveUp: Script = (ids, text, startMs) =>
  writing(NEW_GUIDE, guide(2))(ids, text, startMs)
    .end('length', 'length')
    .wrote(
      'discarded',
      error('write_faulty', 'The content of docs/guide.md never became complete.', 'Ask for a shorter file.'),
    )
    .action()
    .wait(100)
    .say('I could not finish the guide.')
    .end('answered', 'stop')
    .completed();

export const unknownOutcome: Script = (ids, text, startMs) =>
  proposing(EDIT_FOX)(ids, text, startMs)
    .answered(YES)
    .wrote(
      'unknown',
      error(
        'write_unknown',
        'The disk failed after the file was put in place, and it cannot be read.',
        'Look at src/fox.rs yourself before you go on.',
      ),
    )
    .action()
    .wait(100)
    .say('I cannot tell what src/fox.rs holds.')
    .end('answered', 'stop')
    .completed();

export const brokenOff: Script = (ids, text, startMs) => writing(NEW_GUIDE, guide(4))(ids, text, startMs).interrupted();

/** A file that grows for a while. */
export const growing: Script = (ids, text, startMs) => writing(NEW_GUIDE, guide(400))(ids, text, startMs);

/** How often the rule comes before the model is cut off. */
const TIMES = 196;

/** A file that only repeats itself, for a person to choose what becomes of it (P11). */
export const repeatingItself: Script = (ids, text, startMs) =>
  opened(STYLE, ids, text, startMs)
    .content(`body {\n${RULE.repeat(TIMES)}`, 256, 2)
    .end('length')
    .repeats(RULE, TIMES, STYLE_ONCE);

/** How such a turn goes on. */
export function afterChoice(recording: Recording, choice: RepeatsChoice): Recording {
  const chosen = recording.answered({ type: 'chosen', choice });
  if (choice === 'go_on') return chosen.prompt().wait(100).content(RULE.repeat(40), 64, 20);
  if (choice === 'keep_one') return chosen.wait(40).propose();
  const why = 'The content of src/style.css only repeated itself, and the user discarded it.';
  return chosen
    .wrote('discarded', error('write_faulty', why, 'Ask for it in other words, or choose another model.'))
    .action()
    .wait(100)
    .say('Then there is no such file.')
    .end('answered', 'stop')
    .completed();
}
