// The things a turn shows, in order. An item's place is its `seq`, and within one `seq` the event itself comes first,
// then the reasoning, then the text that followed it; so late text finds its place whatever was shown meanwhile.

import type { CallReason } from '$lib/generated/CallReason';
import type { CommandAsked } from '$lib/generated/CommandAsked';
import type { CommandRun } from '$lib/generated/CommandRun';
import type { CutCause } from '$lib/generated/CutCause';
import type { EditedResult } from '$lib/generated/EditedResult';
import type { ErrorInfo } from '$lib/generated/ErrorInfo';
import type { MadeCall } from '$lib/generated/MadeCall';
import type { NoticeCode } from '$lib/generated/NoticeCode';
import type { ToolStatus } from '$lib/generated/ToolStatus';
import { words } from '$lib/words';
import type { ShownChecks } from './shownCheck';
import { drawn } from './output';
import type { WriteSession } from './write';

export interface ToolOutcome {
  status: ToolStatus;
  summary: string;
  bytes: number;
  truncated: boolean;
  durationMs: number;
  error: ErrorInfo | null;
  /** The command that it ran. */
  command?: CommandRun;
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
  // `edited` is what they did to its result before the model was given it (A2).
  | {
      kind: 'tool';
      callId: string;
      name: string;
      arguments: unknown;
      proposed?: unknown;
      edited?: EditedResult;
      /** The call as the model made it, where Orion read it otherwise (P9). */
      made?: MadeCall;
      /** The model wrote it into its text. */
      leaked?: true;
      /** The command as a person was asked about it (C3). */
      asked?: CommandAsked;
      /** The person runs it outside the sandbox (C3). */
      outside?: true;
      /** The last of what it has shown while it runs. */
      output?: string;
      outcome: ToolOutcome | null;
    }
  | { kind: 'refused'; name: string; arguments: unknown; original: string; count: number; limit: number }
  | { kind: 'reused'; name: string; arguments: unknown; originalRequestId: string; count: number; limit: number }
  | { kind: 'blocked'; names: string[]; reason: CallReason }
  | { kind: 'notice'; code: NoticeCode; message: string }
  | ({ kind: 'cut' } & ContextCut)
  | ({ kind: 'compacted' } & Compacted)
  // Written by the person while the turn ran (A9). `to`: what became of it.
  | { kind: 'steered'; text: string; to: 'waiting' | 'model' | 'queue' }
  // The person's checks, once for each time that they ran (V1).
  | ({ kind: 'checks' } & ShownChecks)
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
  const at = items.findLastIndex(
    (other) => other.seq < item.seq || (other.seq === item.seq && rank(other) < rank(item)),
  );
  return [...items.slice(0, at + 1), item, ...items.slice(at + 1)];
}

/**
 * Adds text to the block that follows the event with this `seq`, or begins that block. What a person does meanwhile does not part the
 * text of one response, which began after the event `from`.
 */
export function place(
  items: readonly Item[],
  kind: 'text' | 'reasoning',
  seq: number,
  text: string,
  atMs: number,
  from: number,
): Item[] {
  const last = items.findLastIndex((item) => item.kind === kind && item.seq >= from && item.seq <= seq);
  const between = items.slice(last + 1).filter((item) => item.seq <= seq);
  const joins =
    items[last]?.seq === seq ||
    between.every((item) => item.kind === 'steered' || item.kind === 'text' || item.kind === 'reasoning');
  const at = joins ? last : -1;
  const block = items[at];
  if (block?.kind === 'text' || block?.kind === 'reasoning')
    return items.with(at, { ...block, text: block.text + text });
  return insert(items, kind === 'text' ? { kind, seq, text } : { kind, seq, text, atMs });
}

export function replaceTool(
  items: readonly Item[],
  callId: string,
  outcome: ToolOutcome,
  seq: number,
): readonly Item[] {
  const at = items.findLastIndex((item) => item.kind === 'tool' && item.callId === callId);
  const tool = items[at];
  if (tool?.kind !== 'tool') {
    // P6: a call that never became complete has a result and nothing before it.
    return insert(items, { kind: 'tool', seq, callId, name: words.toolStates.call, arguments: {}, outcome });
  }
  const { output: _, ...ended } = tool;
  return items.with(at, { ...ended, outcome });
}

/** Characters of a running tool's output that are kept: some 200 lines. */
const OUTPUT = 16_384;

/** Shows a piece of a running tool's output. */
export function showOutput(items: readonly Item[], piece: { toolCallId: string; text: string }): readonly Item[] {
  const at = items.findLastIndex((item) => item.kind === 'tool' && item.callId === piece.toolCallId);
  const tool = items[at];
  if (tool?.kind !== 'tool' || tool.outcome) return items;
  const output = drawn((tool.output ?? '') + piece.text).slice(-OUTPUT);
  return items.with(at, { ...tool, output });
}

/** What became of the messages that a person gave to the running turn: the last so many of those that wait, or all of them. */
export function settleSteered(items: readonly Item[], to: 'model' | 'queue', last = Infinity): readonly Item[] {
  const waiting = items.filter((item) => item.kind === 'steered' && item.to === 'waiting');
  if (waiting.length === 0) return items;
  const settled = waiting.slice(-last);
  return items.map((item) => (item.kind === 'steered' && settled.includes(item) ? { ...item, to } : item));
}

/** A person is asked about the command of a call. */
export function askTool(items: readonly Item[], callId: string, asked: CommandAsked): readonly Item[] {
  return changeTool(items, callId, (tool) => ({ ...tool, asked }));
}

/** A person runs the command of a call outside the sandbox (C3). */
export function runOutside(items: readonly Item[], callId: string): readonly Item[] {
  return changeTool(items, callId, (tool) => ({ ...tool, outside: true }));
}

/** A person changed the arguments of a call: it runs with these (A3). */
export function editTool(items: readonly Item[], callId: string, args: unknown): readonly Item[] {
  return changeTool(items, callId, (tool) => ({ ...tool, arguments: args, proposed: tool.arguments }));
}

function changeTool(
  items: readonly Item[],
  callId: string,
  change: (tool: ItemOf<'tool'>) => ItemOf<'tool'>,
): readonly Item[] {
  const at = items.findLastIndex((item) => item.kind === 'tool' && item.callId === callId);
  const tool = items[at];
  return tool?.kind === 'tool' ? items.with(at, change(tool)) : items;
}

/** A person edited or dropped results before the model was given them (A2). */
export function editResults(items: readonly Item[], edited: readonly EditedResult[]): readonly Item[] {
  if (edited.length === 0) return items;
  return items.map((item) => {
    const edit = item.kind === 'tool' ? edited.find(({ toolCallId }) => toolCallId === item.callId) : undefined;
    return edit ? { ...item, edited: edit } : item;
  });
}

/** Changes the last checks. */
export function changeChecks(items: readonly Item[], to: (checks: ShownChecks) => ShownChecks): readonly Item[] {
  const at = items.findLastIndex((item) => item.kind === 'checks');
  const item = items[at];
  return item?.kind === 'checks' ? items.with(at, { ...item, ...to(item) }) : items;
}
