// Commands of a turn, as a person reads them (C1–C6): their line with nothing hidden, what holds them, and how they ended. Pure. Not here: what they
// wrote (output.ts); whether one may run, and finding out what holds it, which are the core's.

import type { CommandChange } from '$lib/generated/CommandChange';
import type { CommandEnd } from '$lib/generated/CommandEnd';
import type { CommandRun } from '$lib/generated/CommandRun';
import type { SandboxLevel } from '$lib/generated/SandboxLevel';
import type { SimpleCommand } from '$lib/generated/SimpleCommand';
import { words } from '$lib/words';
import type { ItemOf } from './item';
import { asks } from './pending';
import { isRunning } from './status';
import type { Turn } from './turn';

/** The tool that runs commands. Source: `NAME` of orion-engine/src/tools/run_command.rs. */
export const COMMANDS = 'run_command';

/** The pattern of an approval for every command in the sandbox (A1). */
export const EVERY = '**';

/** The words of a rule that is proposed: the subcommand, where one is needed, else all of the command. 0 where none is kept. */
export function proposed({ words: all, rule }: SimpleCommand): number {
  if (rule.type !== 'prefix') return 0;
  return rule.least > 1 ? rule.least : all.length;
}

/** A rule as a person reads it: its words, and that others may follow. */
export const shownRule = (all: readonly string[]): string => `${all.map(quoted).map(shownLine).join(' ')} …`;

/** The holder of a command: the sandbox, nothing on this computer, or nothing because the person ran it so. */
export type Holding = SandboxLevel | 'outside';

/** Controls, unassigned and private characters, invisible ones, blanks that are no space for a shell. Lines and tabs stay. */
const HIDDEN = /(?![\n\t ])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** A line of a command with its lines and tabs. Whatever hides, turns the direction or only looks like a space is told by its number. */
export function shownLine(line: string): string {
  return line.replace(HIDDEN, (hidden) => {
    const number = hidden.codePointAt(0) ?? 0;
    return `⟨U+${number.toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
}

/** The line of a call that runs a command; null for any other call. What ran says it best, then what a person was asked, then the arguments. */
export function lineOf(tool: ItemOf<'tool'>): string | null {
  if (tool.outcome?.command) return tool.outcome.command.line;
  if (tool.name !== COMMANDS) return null;
  // A3: a person changed the arguments, and what was asked about was the line before.
  if (tool.asked && tool.proposed === undefined) return tool.asked.line;
  const { command, argv } = Object(tool.arguments) as { command?: unknown; argv?: unknown };
  if (typeof command === 'string') return command;
  return Array.isArray(argv) ? argv.map(String).join(' ') : '';
}

/** The call of a turn that runs now: of those in a phase the first that has no result. Null while a person is asked, or none runs. */
export function toolNow(turn: Turn): ItemOf<'tool'> | null {
  if (!isRunning(turn) || turn.pending || turn.phase.phase !== 'tool_phase') return null;
  return turn.items.find((item): item is ItemOf<'tool'> => item.kind === 'tool' && item.outcome === null) ?? null;
}

/** The holder of the command that a turn asks about or runs; null while there is none. */
export function holdingIn(turn: Turn): Holding | null {
  if (isRunning(turn) && turn.pending) return asks(turn, 'call')?.command?.level ?? null;
  const tool = toolNow(turn);
  if (tool?.name !== COMMANDS) return null;
  if (tool.outside) return 'outside';
  // C3: a command that nothing holds is asked about, so one that runs and that nobody was asked about is held. Before it runs it is only looked at.
  return tool.asked?.level ?? (tool.output ? 'full' : null);
}

/** The holder of a command that ran. */
export function heldBy({ level, outside }: CommandRun): Holding {
  return outside ? 'outside' : level;
}

/** The end of a command in a few words. */
export function endWords(end: CommandEnd): string {
  const say = words.shell.ends;
  switch (end.type) {
    case 'exited':
      return say.exited(end.code);
    case 'signalled':
      return say.signalled(end.signal);
    case 'timed_out':
    case 'stopped':
    case 'memory':
    case 'processes':
    case 'flood':
    case 'disk':
    case 'not_started':
    case 'unknown':
      return say[end.type];
  }
}

export const succeeded = (end: CommandEnd): boolean => end.type === 'exited' && end.code === 0;

/** The things that a command left behind, in sentences; none where it left nothing. */
export function leftWords({ leftRunning = [], ports = [] }: CommandRun): string[] {
  return [
    ...(leftRunning.length > 0 ? [words.shell.leftRunning(leftRunning.map(shownLine))] : []),
    ...(ports.length > 0 ? [words.shell.ports(ports)] : []),
  ];
}

/** A word of a shell that nothing in it is special to. */
const quoted = (word: string) => (/^[\w./+:@%-]+$/u.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

/** The command for a person's own terminal, which is in the project's folder. */
export function forTerminal({ line, folder }: Pick<CommandRun, 'line' | 'folder'>): string {
  return folder === '.' ? line : `cd ${quoted(folder.startsWith('-') ? `./${folder}` : folder)} && ${line}`;
}

/** Lines that came and went in these files, in words; empty where that is not known of any. */
export function changedLines(files: readonly CommandChange[]): string {
  const known = files.filter(({ added, removed }) => added !== undefined && removed !== undefined);
  const sum = (of: (file: CommandChange) => number | undefined) =>
    known.reduce((all, file) => all + (of(file) ?? 0), 0);
  return known.length === 0
    ? ''
    : words.shellFiles.lines(
        sum(({ added }) => added),
        sum(({ removed }) => removed),
      );
}

/** Files that the commands of a turn changed, as far as they are over. */
export function changedByCommands(turn: Pick<Turn, 'items'>): number {
  return turn.items.reduce((all, item) => {
    const command = item.kind === 'tool' ? item.outcome?.command : null;
    return all + (command?.changed?.length ?? 0);
  }, 0);
}
