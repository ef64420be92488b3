// What a replayed turn would have sent, from its events.

import type { SentMessage } from '$lib/generated/SentMessage';
import type { SentRequest } from '$lib/generated/SentRequest';
import { utf8Length } from '$lib/model/utf8';
import { error } from './fixtures';
import type { Recording } from './recording';

const SYSTEM = 'You are Orion, an assistant that works with a person on the files of one folder, the project "foxes".\n\nHow to work:\n- Look before you answer.';

const message = (role: SentMessage['role'], orions: boolean, text: string): SentMessage => ({ role, orions, text, bytes: utf8Length(text), reasoning: null, calls: [], callId: null });

/** The request of the `call`th model call: what was said and read before it. */
export function sentOf(recording: Recording, call: number, from: number): SentRequest {
  const messages = [message('system', true, SYSTEM), message('user', false, recording.text)];
  let [calls, same, said, sent] = [0, 1, '', null as SentMessage[] | null];
  const results = new Map(recording.calls.map((made) => [made.toolCallId, `Result of call ${made.toolCallId}: ${made.name} ${JSON.stringify(made.arguments)}\n${made.result}`]));
  for (const { event } of recording.envelopes()) {
    if (event.type === 'text_chunk') said += event.text;
    else if (event.type === 'tool_result') messages.push(message('assistant', false, said), message('system', true, results.get(event.toolCallId) ?? ''));
    if (event.type === 'tool_result') said = '';
    if (event.type !== 'phase_started' || event.modelCall === null) continue;
    calls += 1;
    if (calls === call) sent = [...messages];
    else if (calls < call) same = messages.length;
  }
  if (!sent) throw error('usage', `The turn has no model call ${call}: it has made ${calls}.`, 'Choose one of them, counted from 1.');
  const bytes = sent.reduce((sum, { bytes: size }) => sum + size, 0);
  const tools = ['list_files', 'read_file', 'search_files', 'file_info', 'write_plan_begin'];
  const sameBytes = sent.slice(0, same).reduce((sum, { bytes: size }) => sum + size, 0);
  return { requestId: recording.ids.requestId, call, calls, endpoint: 'deepseek', model: 'deepseek-chat', tools, toolsBytes: 5_204, bytes, count: sent.length, same, before: same, sameBytes, changed: null, toolsChanged: false, from, messages: sent.slice(from, from + 100) };
}

/** The body of that request. */
export function bodyOf(recording: Recording, call: number): string {
  const { model, messages } = sentOf(recording, call, 0);
  return JSON.stringify({ model, messages: messages.map(({ role, text }) => ({ role, content: text })), stream: true });
}
