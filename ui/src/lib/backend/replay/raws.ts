// What would have come back in the calls of a replayed turn that failed, or were tried again.

import type { RawResponse } from '$lib/generated/RawResponse';
import type { Recording } from './recording';

/** Bytes of the beginning and of the end that are kept, as the core has them. */
const HALF = 131_072;

const REFUSED =
  'HTTP/1.1 503 Service Unavailable\ncontent-type: application/json\nretry-after: 2\nx-request-id: req_0f3a\n\n';
const ANSWERED =
  'HTTP/1.1 200 OK\ncontent-type: text/event-stream\n\ndata: {"choices":[{"index":0,"delta":{"role":"assistant","content":"The loader is in "}}]}\n\ndata: {"choices":[{"index":0,"delta":{"content":"`src/config.rs`."}}]}\n\ndata: [DONE]\n';

export function rawOf(recording: Recording, call: number): RawResponse | null {
  let [calls, text, atMs] = [0, '', 0];
  for (const envelope of recording.envelopes()) {
    const { event } = envelope;
    if (event.type === 'phase_started' && event.modelCall !== null) calls += 1;
    if (calls !== call) continue;
    atMs = envelope.atMs;
    if (event.type === 'retrying')
      text += `${REFUSED}{"error":{"code":"overloaded","message":${JSON.stringify(event.cause.message)}}}${event.cause.detail ?? ''}\n\n${ANSWERED}`;
  }
  if (text === '') return null;
  const { requestId } = recording.ids;
  if (text.length <= 2 * HALF) return { requestId, call, atMs, start: text, leftOut: 0, end: '' };
  return { requestId, call, atMs, start: text.slice(0, HALF), leftOut: text.length - 2 * HALF, end: text.slice(-HALF) };
}
