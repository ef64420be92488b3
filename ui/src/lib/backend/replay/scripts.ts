// Whole turns, as the core would run them.

import type { Given } from '$lib/generated/Given';
import type { TurnIds } from '$lib/generated/TurnIds';
import { ANSWER, CONFIG_BOX, error, LISTING, NOON, REASONING } from './fixtures';
import { NO_LIMITS } from '$lib/model/bounds';
import { TWO_STAGE } from './policy';
import { Recording } from './recording';

export type Script = (ids: TurnIds, text: string, startMs: number) => Recording;

export const QUESTION = 'How does the config loader work?';

const looked = (ids: TurnIds, text: string, startMs: number): Recording =>
  new Recording(ids, text, startMs)
    .wait(40)
    .action()
    .wait(420)
    .think(REASONING)
    .say("I'll see what is in the project first.")
    .call('call-1', 'list_files', { path: '.', recursive: true })
    .end('tool_call', 'tool_calls')
    .tools()
    .result('12 entries', LISTING, 3)
    .end('tools_done')
    .action()
    .wait(380)
    .say('The loader is in `src/config.rs`.')
    .call('call-2', 'read_file', { path: 'src/config.rs' })
    .end('tool_call', 'tool_calls')
    .tools()
    .result('32 lines', CONFIG_BOX, 4)
    .end('tools_done')
    .action()
    .wait(510);

export const answered: Script = (ids, text, startMs) =>
  looked(ids, text, startMs).say(ANSWER).wait(30).end('answered', 'stop').completed();

/** A turn for which a person chose 24 steps. */
export const chosen: Script = (ids, text, startMs) => {
  const limits = { ...NO_LIMITS, maxCycles: 24 };
  return new Recording(
    ids,
    text,
    startMs,
    startMs,
    'deepseek-chat',
    'deepseek',
    { ...TWO_STAGE, maxCycles: 24 },
    limits,
  )
    .wait(40)
    .action()
    .wait(200)
    .say('The later source wins.')
    .end('answered', 'stop')
    .completed();
};

/** Answers at once, in a sentence. */
export const brief: Script = (ids, text, startMs) =>
  new Recording(ids, text, startMs)
    .wait(40)
    .action()
    .wait(200)
    .say('The later source wins.')
    .end('answered', 'stop')
    .completed();

/** Stopped by a person after they wrote something that it had no answer left for. */
export const steeredLate: Script = (ids, text, startMs) =>
  new Recording(ids, text, startMs)
    .wait(40)
    .action()
    .wait(200)
    .say('The later source wins.')
    .event({ type: 'steered', text: 'And where is it tested?' })
    .end('stopped')
    .event({ type: 'queued', messages: 1 })
    .stopped();

/** Stops in mid-answer, inside the code block. */
export const answering: Script = (ids, text, startMs) => looked(ids, text, startMs).say(ANSWER.slice(0, 520), 24, 12);

/** Stops in the middle of its reasoning. */
export const thinking: Script = (ids, text, startMs) =>
  new Recording(ids, text, startMs).wait(40).action().wait(420).think(REASONING.slice(0, 90));

export const runningTool: Script = (ids, text, startMs) =>
  new Recording(ids, text, startMs)
    .wait(40)
    .action()
    .wait(300)
    .say("I'll search for the places that read the configuration.")
    .call('call-1', 'search_files', { pattern: 'Config::|load\\(', glob: 'src/**/*.rs', max_results: 100 })
    .end('tool_call', 'tool_calls')
    .tools();

/** A call that a person has to allow; [`afterApproval`] goes on from there. */
export const asking: Script = (ids, text, startMs) =>
  runningTool(ids, text, startMs).ask({ by: 'default', keeps: '.' });
/** The person's own rule makes Orion ask, so that no approval is kept. */
export const askingByRule: Script = (ids, text, startMs) => runningTool(ids, text, startMs).ask({ by: 'user' });

export function afterApproval(recording: Recording, given: Given): Recording {
  const ran = recording.answered(given);
  const granted = given.type === 'allowed';
  if (granted) ran.result('1 match', 'src/config.rs:22: pub fn load(path: &Path, flags: &Flags)', 6);
  else
    ran.result(
      'not allowed',
      'The user did not allow this call.',
      0,
      'denied',
      error('tool_denied', 'The user did not allow this call.', ''),
    );
  return ran
    .end('tools_done')
    .action()
    .wait(200)
    .say(granted ? 'Only `src/config.rs` reads it.' : 'Without the search I cannot say where it is read.')
    .end('answered', 'stop')
    .completed();
}

const spending = (ids: TurnIds, text: string, startMs: number): Recording =>
  looked(ids, text, startMs)
    .say('I want to see how it is tested.')
    .call('call-3', 'read_file', { path: 'tests/config.rs' })
    .block(['read_file', 'file_info'], 'over_phase_limit')
    .end('tool_call', 'tool_calls')
    .tools()
    .result(
      'not found',
      'tests/config.rs: no such file',
      1,
      'failed',
      error('path_not_found', 'There is no tests/config.rs in the project.', 'List the folder to see what there is.'),
    )
    .end('tools_done')
    .action()
    .wait(300)
    .refuse('read_file', { path: 'src/config.rs' }, 'call-2')
    .end('tool_call', 'tool_calls')
    .notice('budget_exhausted', 'Budget used: 3 of 3 cycles.')
    .action(true)
    .wait(320);

/** A budget is used up, and the forced answer is whole. */
export const exhausted: Script = (ids, text, startMs) =>
  spending(ids, text, startMs)
    .say(
      'From what I have read: the loader merges the file, the environment and the flags, in that order. I could not look at the tests, so I cannot say how well this is covered.',
    )
    .end('answered', 'stop')
    .completed('budget_exhausted');

/** A budget is used up, and the model asks for another tool. */
export const wanting: Script = (ids, text, startMs) =>
  spending(ids, text, startMs)
    .say('I still need to see the tests.')
    .block(['list_files'], 'final_answer')
    .end('answered', 'tool_calls')
    .completed('budget_exhausted');

export const refusedKey: Script = (ids, text, startMs) =>
  new Recording(ids, text, startMs)
    .wait(40)
    .action()
    .wait(180)
    .end('failed')
    .failed(
      error(
        'authentication',
        'The endpoint deepseek refused the key.',
        'Check the key in the settings, then ask again.',
        {
          detail:
            'HTTP 401: {"error":{"message":"Authentication Fails, your api key is invalid","type":"authentication_error"}}',
        },
      ),
    );

export const cutOff: Script = (ids, text, startMs) =>
  looked(ids, text, startMs)
    .say(ANSWER.slice(0, 210))
    .end('failed')
    .failed(
      error(
        'cut_off',
        'The connection to deepseek broke in the middle of the answer.',
        'What had arrived is kept. Ask again to get the rest.',
        { retryable: true },
      ),
    );

export const overloaded: Script = (ids, text, startMs) =>
  new Recording(ids, text, startMs)
    .wait(40)
    .action()
    .wait(200)
    .retrying(
      60_000,
      error(
        'overloaded',
        'api.deepseek.com is overloaded or failing (status 503).',
        'Try again in a moment, or choose another endpoint.',
        { retryable: true },
      ),
    );

/** An answer that ended for a reason nobody documents. */
export const ranDry: Script = (ids, text, startMs) =>
  looked(ids, text, startMs)
    .say(ANSWER)
    .end('unknown', 'ran_dry')
    .notice(
      'unknown_finish',
      'The answer may not be complete: the provider ended it with the unknown reason “ran_dry”.',
    )
    .completed('unknown');

/** An answer that only repeats itself from some point on (P11). */
export const repeating: Script = (ids, text, startMs) =>
  new Recording(ids, text, startMs)
    .wait(40)
    .action()
    .wait(180)
    .say('Here is the style sheet:\n\n```css\n')
    .say('  background-color: #fff;\n'.repeat(195))
    .end('length')
    .notice(
      'repeated_itself',
      'The model kept repeating itself, so its answer was cut off. The same text came 195 times in a row.',
    )
    .completed('length');

/** An answer before which old results and turns left the conversation (X3). */
export const madeRoom: Script = (ids, text, startMs) =>
  new Recording(ids, text, startMs)
    .wait(40)
    .cut('full', 3, 14)
    .action()
    .wait(180)
    .say(ANSWER)
    .end('answered', 'stop')
    .completed();

/** A turn after `answered` in which the model reads the same file: it has not changed. */
export const readAgain: Script = (ids, text, startMs) =>
  new Recording(ids, text, startMs)
    .wait(40)
    .action()
    .wait(90)
    .reuse('read_file', { path: 'src/config.rs' }, 'call-2', 't-1')
    .end('tool_call', 'tool_calls')
    .action()
    .wait(120)
    .say('It still says the same.')
    .end('answered', 'stop')
    .completed();

/** What a hostile file could make the model say. */
export const hostile: Script = (ids, text, startMs) =>
  new Recording(ids, text, startMs)
    .wait(40)
    .action()
    .wait(100)
    .say(
      '<img src=x onerror=alert(1)>\n\n![a pixel](https://evil.example/pixel.png) and [click here](javascript:alert(1)).\n\n<script src="https://evil.example/x.js"></script>\n',
    )
    .end('answered', 'stop')
    .completed();

/** About `chunks` chunks of a long answer, `gapMs` apart. */
export function flood(chunks: number, gapMs: number): Script {
  const paragraph =
    'A fox that **plans** its route reads the wind first, then `src/den.rs`, and only then the *snow*. ';
  return (ids, text, startMs) => {
    const parts = Array.from(
      { length: Math.ceil((chunks * 12) / paragraph.length) },
      (_, index) => paragraph + (index % 4 === 3 ? '\n\n' : ''),
    );
    return new Recording(ids, text, startMs)
      .wait(20)
      .action()
      .wait(50)
      .say(parts.join(''), 12, gapMs)
      .end('answered', 'stop')
      .completed();
  };
}

export const idsOf = (requestId: string, sessionId: string, projectId: string): TurnIds => ({
  requestId,
  sessionId,
  projectId,
});

export const record = (
  script: Script,
  requestId: string,
  sessionId: string,
  projectId: string,
  text = QUESTION,
  startMs = NOON,
): Recording => script(idsOf(requestId, sessionId, projectId), text, startMs);
