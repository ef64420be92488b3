// What a replayed turn would have sent, from its events, and what would have come back.

import type { Answer } from '$lib/generated/Answer';
import type { Query } from '$lib/generated/Query';
import type { SentMessage } from '$lib/generated/SentMessage';
import type { SentRequest } from '$lib/generated/SentRequest';
import { utf8Length } from '$lib/model/utf8';
import { error } from './fixtures';
import { rawOf } from './raws';
import type { Recording } from './recording';

const SYSTEM =
  'You are Orion, an assistant that works with a person on the files of one folder, the project "foxes".\n\nHow to work:\n- Look before you answer.';

const TOOLS = ['list_files', 'read_file', 'search_files', 'file_info', 'write_plan_begin'];

const message = (role: SentMessage['role'], orions: boolean, text: string): SentMessage => ({
  role,
  orions,
  text,
  bytes: utf8Length(text),
  reasoning: null,
  calls: [],
  callId: null,
});

const sizeOf = (messages: SentMessage[]): number => messages.reduce((sum, { bytes }) => sum + bytes, 0);

/** The request of the `call`th model call: what was said and read before it. A prompt for the content of a file is in its own call alone (P12). */
function sentOf(recording: Recording, call: number, from: number): SentRequest {
  const messages = [message('system', true, SYSTEM), message('user', false, recording.text)];
  let [calls, said, before, sent] = [0, '', messages.slice(0, 1), null as SentMessage[] | null];
  const results = new Map(
    recording.calls.map((made) => [
      made.toolCallId,
      `Result of call ${made.toolCallId}: ${made.name} ${JSON.stringify(made.arguments)}\n${made.result}`,
    ]),
  );
  for (const { event } of recording.envelopes()) {
    if (event.type === 'text_chunk') said += event.text;
    else if (event.type === 'tool_result')
      messages.push(message('assistant', false, said), message('system', true, results.get(event.toolCallId) ?? ''));
    else if (event.type === 'write_done')
      messages.push(message('system', true, `The file ${event.path}: ${event.status}.`));
    if (event.type === 'tool_result') said = '';
    if (event.type !== 'phase_started' || event.modelCall === null) continue;
    calls += 1;
    const all =
      event.write == null
        ? [...messages]
        : [
            ...messages,
            message(
              'system',
              true,
              'Send the content of the file now, and nothing else. End it with a line that is exactly DONE.',
            ),
          ];
    if (calls === call) sent = all;
    else if (calls < call) before = all;
  }
  if (!sent)
    throw error(
      'usage',
      `The turn has no model call ${call}: it has made ${calls}.`,
      'Choose one of them, counted from 1.',
    );
  const differs = before.findIndex(({ text }, at) => text !== sent[at]?.text);
  const same = differs < 0 ? before.length : differs;
  const sameBytes = sizeOf(sent.slice(0, same));
  return {
    requestId: recording.ids.requestId,
    call,
    calls,
    endpoint: 'deepseek',
    model: 'deepseek-chat',
    tuning: { temperature: 0.3 },
    tools: TOOLS,
    toolsBytes: 5_204,
    bytes: sizeOf(sent),
    count: sent.length,
    same,
    before: before.length,
    sameBytes,
    changed: before[same] ?? null,
    toolsChanged: false,
    from,
    messages: sent.slice(from, from + 100),
  };
}

/** The body of that request. */
function bodyOf(recording: Recording, call: number): string {
  const { model, messages, tuning } = sentOf(recording, call, 0);
  return JSON.stringify({
    model,
    messages: messages.map(({ role, text }) => ({ role, content: text })),
    stream: true,
    ...tuning,
  });
}

export function ofModelCall(
  query: Extract<Query, { type: 'sent' | 'sent_body' | 'raw_response' }>,
  recording: Recording,
): Answer {
  switch (query.type) {
    case 'sent':
      return { type: 'sent', request: sentOf(recording, query.call, query.from) };
    case 'sent_body':
      return { type: 'sent_body', body: bodyOf(recording, query.call) };
    case 'raw_response':
      return { type: 'raw_response', response: rawOf(recording, query.call) };
  }
}
