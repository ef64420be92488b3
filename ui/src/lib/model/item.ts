// The things a turn shows, in order. An item's place is its `seq`, and within one `seq` the event itself comes first,
// then the reasoning, then the text that followed it; so late text finds its place whatever was shown meanwhile.

import type { CallReason } from '$lib/generated/CallReason';
import type { CutCause } from '$lib/generated/CutCause';
import type { ErrorInfo } from '$lib/generated/ErrorInfo';
import type { NoticeCode } from '$lib/generated/NoticeCode';
import type { ToolStatus } from '$lib/generated/ToolStatus';
import type { WriteSession } from './write';

export interface ToolOutcome {
  status: ToolStatus;
  summary: string;
  bytes: number;
  truncated: boolean;
  durationMs: number;
  error: ErrorInfo | null;
}

/** What left the conversation. Tokens are by Orion's own count. */
export interface ContextCut {
  cause: CutCause;
  results: number;
  messages: number;
  tokensBefore: number;
  tokensAfter: number;
  room: number;
  /** Messages of which a person has set or taken off a pin. */
  pins: number;
}

/** An entry stands in the place of the conversation so far (X4). Tokens are by Orion's own count. */
export interface Compacted {
  turns: number;
  tokensBefore: number;
  tokensAfter: number;
}

export type Item = { seq: number } & (
  | { kind: 'tool_phase'; cycle: number }
  | { kind: 'final_phase' }
  | { kind: 'reasoning'; text: string; atMs: number }
  | { kind: 'text'; text: string }
  // `proposed` is what the model asked for, where the person changed it (A3).
  | { kind: 'tool'; callId: string; name: string; arguments: unknown; proposed?: unknown; outcome: ToolOutcome | null }
  | { kind: 'refused'; name: string; arguments: unknown; original: string; count: number; limit: number }
  | { kind: 'reused'; name: string; arguments: unknown; originalRequestId: string; count: number; limit: number }
  | { kind: 'blocked'; names: string[]; reason: CallReason }
  | { kind: 'notice'; code: NoticeCode; message: string }
  | ({ kind: 'cut' } & ContextCut)
  | ({ kind: 'compacted' } & Compacted)
  | { kind: 'retry'; attempt: number; delayMs: number; cause: ErrorInfo }
  | ({ kind: 'write' } & WriteSession)
);

export type ItemOf<K extends Item['kind']> = Extract<Item, { kind: K }>;

/** Stable for as long as the turn is shown. */
export function itemKey(item: Item): string {
  return `${item.seq}.${rank(item)}`;
}

function rank(item: Item): number {
  if (item.kind === 'reasoning') return 1;
  return item.kind === 'text' ? 2 : 0;
}

export function insert(items: readonly Item[], item: Item): Item[] {
  const at = items.findLastIndex((other) => other.seq < item.seq || (other.seq === item.seq && rank(other) < rank(item)));
  return [...items.slice(0, at + 1), item, ...items.slice(at + 1)];
}

/** Adds text to the block that follows the event with this `seq`, or begins that block. */
export function place(items: readonly Item[], kind: 'text' | 'reasoning', seq: number, text: string, atMs: number): Item[] {
  const at = items.findLastIndex((item) => item.kind === kind && item.seq === seq);
  const block = items[at];
  if (block?.kind === 'text' || block?.kind === 'reasoning') return items.with(at, { ...block, text: block.text + text });
  return insert(items, kind === 'text' ? { kind, seq, text } : { kind, seq, text, atMs });
}

export function replaceTool(items: readonly Item[], callId: string, outcome: ToolOutcome, seq: number): readonly Item[] {
  const at = items.findLastIndex((item) => item.kind === 'tool' && item.callId === callId);
  const tool = items[at];
  if (tool?.kind !== 'tool') {
    // P6: a call that never became complete has a result and nothing before it.
    return insert(items, { kind: 'tool', seq, callId, name: 'tool call', arguments: {}, outcome });
  }
  return items.with(at, { ...tool, outcome });
}

/** A person changed the arguments of a call: it runs with these (A3). */
export function editTool(items: readonly Item[], callId: string | null, args: unknown): readonly Item[] {
  const at = items.findLastIndex((item) => item.kind === 'tool' && item.callId === callId);
  const tool = items[at];
  return tool?.kind === 'tool' ? items.with(at, { ...tool, arguments: args, proposed: tool.arguments }) : items;
}
