// The parts of a turn that fold to one line once their step is over, and those that stay: text, files, failures, what waits for the person. Pure.
// The reasons are in decision 0047. Not here: how a line looks (ui/chat/Steps.svelte), and which folds a person has opened (ui/chat/folds.svelte.ts).

import { words } from '$lib/words';
import { COMMANDS, lineOf } from './command';
import { type Item, itemKey, type ItemOf } from './item';
import { plain } from './plain';
import { placeOfCall } from './timeline/entry';
import type { Turn } from './turn';
import { mainArgument } from './words';

/** What the steps between two texts did. It is one line, with what does not fold below it. */
export interface Steps {
  kind: 'steps';
  /** Stable while the turn is shown. */
  key: string;
  items: readonly StepItem[];
  /** Those that the line stands for. Empty while nothing folds. */
  folded: readonly StepItem[];
}

export type Part = Steps | { kind: 'item'; key: string; item: Item };

type StepItem = ItemOf<
  'tool' | 'tool_phase' | 'final_phase' | 'reasoning' | 'refused' | 'reused' | 'retry' | 'blocked'
>;

/** The items of a turn as they are shown, in their order. */
export function partsOf(turn: Turn): Part[] {
  const opened = new Set(turn.items.flatMap((item) => (item.kind === 'write' ? [item.callId] : [])));
  const parts: Part[] = [];
  let steps: StepItem[] = [];
  const close = () => {
    const [first] = steps;
    if (first) parts.push({ kind: 'steps', key: itemKey(first), items: steps, folded: foldedOf(turn, steps) });
    steps = [];
  };
  for (const item of turn.items) {
    // The call that opened a write session is shown as that session.
    if (item.kind === 'tool' && opened.has(item.callId)) continue;
    if (isStep(item)) steps.push(item);
    else {
      close();
      parts.push({ kind: 'item', key: itemKey(item), item });
    }
  }
  close();
  return parts;
}

/** The key of the steps that hide what is at a place of the turn; null where it is shown. */
export function foldHolding(turn: Turn, place: string): string | null {
  const holds = (item: StepItem) => item.kind === 'tool' && placeOfCall(item.callId) === place;
  return partsOf(turn).find((part) => part.kind === 'steps' && part.folded.some(holds))?.key ?? null;
}

function isStep(item: Item): item is StepItem {
  switch (item.kind) {
    case 'tool':
    case 'tool_phase':
    case 'final_phase':
    case 'reasoning':
    case 'refused':
    case 'reused':
    case 'retry':
      return true;
    case 'blocked':
      // After these the answer lacks something.
      return item.reason !== 'final_answer' && item.reason !== 'repeated_itself';
    default:
      return false;
  }
}

function foldedOf(turn: Turn, steps: readonly StepItem[]): StepItem[] {
  const since = runningSince(turn);
  const last = turn.items.at(-1);
  const folded = steps.filter((item) => !stays(item) && (item.seq < since || (passes(item) && item !== last)));
  // A line that names no act would say nothing.
  return folded.some(isAct) ? folded : [];
}

/** `seq` of the event with which the step that runs began: that of its model call. */
function runningSince({ end, items, phaseSeqs, promptSeqs }: Turn): number {
  if (end) return Infinity;
  const isTools = (seq: number) => items.some((item) => item.kind === 'tool_phase' && item.seq === seq);
  return phaseSeqs.findLast((seq) => !promptSeqs.includes(seq) && !isTools(seq)) ?? 0;
}

/** A failure, and what has not come to its end. */
function stays(item: StepItem): boolean {
  return (
    item.kind === 'tool' &&
    !(
      item.outcome &&
      (item.outcome.status === 'ok' || item.outcome.status === 'duplicate' || item.outcome.status === 'reused')
    )
  );
}

/** Of no interest once something follows it, though its step still runs. */
function passes({ kind }: StepItem): boolean {
  return kind === 'reasoning' || kind === 'retry' || kind === 'final_phase';
}

function isAct({ kind }: StepItem): boolean {
  return kind !== 'reasoning' && kind !== 'tool_phase' && kind !== 'final_phase';
}

/** What was done, each act by itself: `Looked at 3 files`, `searched twice`. */
export function stepWords(items: readonly StepItem[]): string[] {
  const ran = items.flatMap((item) => (item.kind === 'tool' && item.outcome?.status === 'ok' ? [item] : []));
  const of = (name: string) => ran.filter((tool) => tool.name === name);
  const [files, folders] = [named([...of('read_file'), ...of('file_info')]), named(of('list_files'))];
  const searches = of('search_files').length;
  const commands = [...new Set(ran.map(lineOf).filter((line) => line !== null))].map((line) => plain(line));
  const others = [...new Set(ran.map(({ name }) => name))].filter((name) => !KNOWN.has(name));
  const many = (kind: StepItem['kind']) => items.filter((item) => item.kind === kind).length;
  const repeats = Math.max(
    many('refused'),
    items.filter((item) => item.kind === 'tool' && item.outcome?.status === 'duplicate').length,
  );
  const blocked = items.reduce((sum, item) => sum + (item.kind === 'blocked' ? item.names.length : 0), 0);
  const done = [
    files.length > 0 && words.did.looked(files),
    folders.length > 0 && words.did.listed(folders),
    searches > 0 && words.did.searched(searches),
    of('ask_user').length > 0 && words.did.askedYou,
    commands.length > 0 && words.did.ranCommands(commands),
    ...others.map((name) => words.did.ran(name, of(name).length)),
    many('reused') > 0 && words.did.readAgain(many('reused')),
    repeats > 0 && words.did.refused(repeats),
    blocked > 0 && words.did.notRun(blocked),
    many('retry') > 0 && words.did.triedAgain(many('retry')),
  ].filter((line) => line !== false);
  return done.map((line, index) => (index === 0 ? words.did.begin(line) : line));
}

/** Tools that have words of their own. */
const KNOWN: ReadonlySet<string> = new Set([
  'read_file',
  'file_info',
  'list_files',
  'search_files',
  'ask_user',
  COMMANDS,
]);

/** What the calls are about, each once. */
function named(tools: readonly ItemOf<'tool'>[]): string[] {
  return [...new Set(tools.map((tool) => mainArgument(tool.arguments) || tool.name))];
}

/** Milliseconds that its tools took together. */
export function stepMs(items: readonly StepItem[]): number {
  return items.reduce((sum, item) => sum + (item.kind === 'tool' ? (item.outcome?.durationMs ?? 0) : 0), 0);
}
