// Which commands a message that begins with `/` may still become, and what can follow their names.

export interface SlashCommand {
  /** Without the slash. */
  name: string;
  hint: string;
  /** What can follow the name, in a word; without it nothing can. */
  argument?: string | undefined;
  /** The command does nothing without it. */
  needed?: boolean;
  /** What is offered there. */
  values?: readonly string[];
  /** Returns what then stands in the field; nothing for an empty one. */
  run: (argument: string) => void | Promise<string | null>;
}

/** A line of the list. */
export interface SlashRow {
  key: string;
  /** What it looks like, with the slash. */
  label: string;
  hint: string;
  /** What Tab makes of the text. */
  completed: string;
  /** What Enter does; null where it completes, too. */
  run: (() => void | Promise<string | null>) | null;
}

/** Values that are offered at once. */
const SHOWN = 12;

/** The name of a command that there is not; null where the text is a message. A path has a further slash, and is one. */
export function unknownCommand(text: string, commands: readonly SlashCommand[]): string | null {
  const name = /^\/([a-z][a-z0-9-]*)(?=\s|$)/.exec(text)?.[1];
  return name === undefined || commands.some((command) => command.name === name) ? null : name;
}

/** The lines for what is written; none where the text is a message. */
export function slashRows(text: string, commands: readonly SlashCommand[]): readonly SlashRow[] {
  const [, name, rest] = /^\/([a-z0-9-]*)(?:[ \t]([^]*))?$/.exec(text) ?? [];
  if (name === undefined) return [];
  if (rest === undefined) return commands.filter((command) => command.name.startsWith(name)).map(ofName);
  const command = commands.find((other) => other.name === name && other.argument !== undefined);
  return command ? ofArgument(command, rest.trim()) : [];
}

function ofName(command: SlashCommand): SlashRow {
  const { name, hint, argument, needed } = command;
  return {
    key: name,
    label: argument === undefined ? `/${name}` : `/${name} ${argument}`,
    hint,
    completed: argument === undefined ? `/${name}` : `/${name} `,
    run: needed ? null : () => command.run(''),
  };
}

function ofArgument(command: SlashCommand, written: string): SlashRow[] {
  const { name, hint, argument = '', needed, values = [] } = command;
  const row = (value: string): SlashRow => ({
    key: `${name} ${value}`,
    label: `/${name} ${value}`,
    hint: '',
    completed: `/${name} ${value}`,
    run: () => command.run(value),
  });
  const found = values
    .filter((value) => value.toLowerCase().includes(written.toLowerCase()))
    .slice(0, SHOWN)
    .map(row);
  if (found.length > 0) return found;
  const own: SlashRow = {
    key: name,
    label: `/${name} ${written === '' ? argument : written}`,
    hint,
    completed: `/${name} ${written}`,
    run: needed && written === '' ? null : () => command.run(written),
  };
  return [own];
}
