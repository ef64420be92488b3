// What fills the room of a replayed session, from the turns that it has.

import type { AppState } from '$lib/generated/AppState';
import type { ContextEdit } from '$lib/generated/ContextEdit';
import type { ContextPart } from '$lib/generated/ContextPart';
import type { ContextView } from '$lib/generated/ContextView';
import type { Query } from '$lib/generated/Query';
import { utf8Length } from '$lib/model/utf8';
import type { Recording } from './recording';

/** Tokens of a model's window. */
const WINDOWS: Record<string, number> = { 'deepseek-chat': 65_536, 'qwen3:8b': 4_096 };

const tokensOf = (bytes: number) => Math.ceil(bytes / 4);

/** The answer to a query, from the turns of its session. */
export function contextIn(
  { settings }: AppState,
  turns: readonly Recording[],
  { sessionId, options }: Extract<Query, { type: 'context' }>,
): ContextView {
  const endpoint = options.endpoint ?? settings.defaultEndpoint ?? 'demo';
  const model = options.model ?? settings.endpoints.find(({ name }) => name === endpoint)?.model ?? 'demo';
  return { ...contextOf(turns, endpoint, model), edits: keptEdits(sessionId) };
}

function contextOf(turns: readonly Recording[], endpoint: string, model: string): Omit<ContextView, 'edits'> {
  const window = WINDOWS[model] ?? 32_768;
  const answer = Math.min(8_192, window / 4);
  const fixed = (kind: 'system' | 'instructions' | 'tools', count: number, bytes: number): ContextPart => ({
    kind,
    requestId: null,
    text: '',
    count,
    bytes,
    tokens: tokensOf(bytes),
    pinned: false,
    boxes: [],
  });
  const said = turns.map((turn): ContextPart => {
    const boxes = turn.calls.map((call) => {
      const bytes = 160 + utf8Length(call.result ?? '');
      return {
        toolCallId: call.toolCallId,
        name: call.name,
        arguments: call.arguments,
        sha256: 'a'.repeat(64),
        bytes,
        tokens: tokensOf(bytes),
        emptied: false,
        pinned: false,
      };
    });
    const bytes = 900 + utf8Length(turn.text) + boxes.reduce((sum, box) => sum + box.bytes, 0);
    return {
      kind: 'turn',
      requestId: turn.ids.requestId,
      text: turn.text,
      count: 2 + 2 * boxes.length,
      bytes,
      tokens: tokensOf(bytes),
      pinned: false,
      boxes,
    };
  });
  const parts = [fixed('system', 1, 1_690), fixed('instructions', 1, 812), fixed('tools', 5, 5_204), ...said];
  const tokens = parts.reduce((sum, part) => sum + part.tokens, 0);
  const room = window - answer;
  const ofResults = said.reduce((sum, { boxes }) => sum + boxes.length, 0);
  const ofMessages = said.reduce((sum, { count }) => sum + count, 0);
  const cut =
    tokens > room * 0.8 ? { results: ofResults, ofResults, messages: 0, ofMessages, earlier: false, fits: true } : null;
  return {
    endpoint,
    model,
    window,
    windowSource: model in WINDOWS ? null : 'assumed',
    answer,
    room,
    tokens,
    counted: endpoint === 'deepseek',
    parts,
    cut,
  };
}

const EDITS = 'orion.replay.edits';

/** What is kept with a session. A replay has no core that outlives the page. */
function keptEdits(sessionId: string): ContextEdit[] {
  return (JSON.parse(sessionStorage.getItem(EDITS) ?? '{}') as Record<string, ContextEdit[]>)[sessionId] ?? [];
}

export function keepEdits(sessionId: string, edits: ContextEdit[]): void {
  const all = JSON.parse(sessionStorage.getItem(EDITS) ?? '{}') as Record<string, ContextEdit[]>;
  sessionStorage.setItem(EDITS, JSON.stringify({ ...all, [sessionId]: edits }));
}
