// What the demo model does in the tour: it repeats a call until no step is left, and it corrects two places of a file.

import type { Draft } from './desk';
import { TOUR_SUGGESTIONS } from './fixtures';
import { Recording } from './recording';
import type { Script } from './scripts';
import { opening } from './writeScripts';

const BEFORE = `# Opening hours

Wensday, 4 to 6 in the afternoon.
Saturday, 10 to noon.

Ring the bell at the side door: the shelf is on the first floor.

Seeds can be brought back whenever somebody is there. Write the plant
and the year on the packet, as well as you know them.

Who cannot come calls Ada. She puts a packet aside for a week.

Closed in January. In Febuary open on Saturdays alone.
`;

const HOURS: Draft = {
  path: 'opening-hours.md',
  operation: 'overwrite',
  intent: 'Two mistakes are corrected.',
  old: BEFORE,
  text: BEFORE.replace('Wensday', 'Wednesday').replace('Febuary', 'February'),
};

const SEEDS = { path: 'seeds.csv' };
const AGAIN = 'I am not sure of it, so I read it again.';

const stuck: Script = (ids, text, startMs) =>
  new Recording(ids, text, startMs)
    .wait(40)
    .action()
    .wait(100)
    .say('I read `seeds.csv`.')
    .call('call-1', 'read_file', SEEDS)
    .end('tool_call', 'tool_calls')
    .tools()
    .result('6 lines', '1\tplant,packets,sow in', 2)
    .end('tools_done')
    .action()
    .wait(100)
    .say(AGAIN)
    .refuse('read_file', SEEDS, 'call-1')
    .end('tool_call', 'tool_calls')
    .action()
    .wait(100)
    .say(AGAIN)
    .refuse('read_file', SEEDS, 'call-1')
    .end('tool_call', 'tool_calls')
    .action()
    .wait(100)
    .say(AGAIN)
    .refuse('read_file', SEEDS, 'call-1')
    .end('tool_call', 'tool_calls')
    .notice('duplicates_exhausted', '3 repeated calls were refused.')
    .action(true)
    .wait(120)
    .say('I asked for the same file again and again, and would have gone on. Then I was given no more tools.')
    .end('answered', 'stop')
    .completed('duplicates_exhausted');

/** Corrects two places of a file, and waits for a decision. */
export const correctingHours: Script = (ids, text, startMs) => {
  const read = new Recording(ids, text, startMs)
    .wait(40)
    .action()
    .wait(100)
    .say('I read the file that you name.')
    .call('call-0', 'read_file', { path: HOURS.path })
    .end('tool_call', 'tool_calls')
    .tools()
    .result('13 lines', '1\t# Opening hours', 2)
    .end('tools_done')
    .action()
    .wait(100)
    .say('I have read it. I ask to write it: you see it first, and decide.');
  return opening(read, HOURS).content(HOURS.text, 64, 6).end('answered', 'stop').wait(60).propose();
};

export const touring: Script = (ids, text, startMs) =>
  (text === TOUR_SUGGESTIONS[0] ? stuck : correctingHours)(ids, text, startMs);
