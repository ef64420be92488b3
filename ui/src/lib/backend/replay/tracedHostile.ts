// A turn in which every text that a trace shows is somebody's attempt at the window.

import { error } from './fixtures';
import { Recording } from './recording';
import type { Script } from './scripts';

const TAG = '<script>window.caught = true</script><img src=x onerror="window.caught = true">';
const TURNED = 'src/\u202Egnp.exe\u0000\u0007\u200B.rs';
const LONG = 'x'.repeat(10_000_000);

function deep(levels: number): Record<string, unknown> {
  let value: Record<string, unknown> = { end: TAG };
  for (let level = 0; level < levels; level += 1) value = { in: value };
  return value;
}

export const tracedHostile: Script = (ids, text, startMs) =>
  new Recording(ids, text, startMs)
    .wait(40)
    .action()
    .wait(120)
    .say('Here.')
    .call('call-1', 'read_file', { path: TURNED, note: TAG })
    .end('tool_call', TAG)
    .tools()
    .result(TAG, `${TAG}\n${TURNED}\n${LONG}`, 5)
    .end('tools_done')
    .action()
    .wait(90)
    .call('call-2', TAG, deep(2_000))
    .end('tool_call', 'tool_calls')
    .tools()
    .result('failed', TAG, 2, 'failed', error('tool_failed', TAG, TURNED, { detail: TAG }))
    .end('tools_done')
    .action()
    .wait(80)
    .retrying(20, error('overloaded', TAG, TURNED, { detail: `${TURNED}${LONG}`, retryable: true }))
    .wait(20)
    .say('That was all.')
    .end('answered', 'stop')
    .completed();
