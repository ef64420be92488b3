// Which commands a message that begins with `/` may still become.

export interface SlashCommand {
  /** Without the slash. */
  name: string;
  hint: string;
  run: () => void;
}

/** The commands that begin with what is written; none where the text is a message. */
export function matching(text: string, commands: readonly SlashCommand[]): readonly SlashCommand[] {
  const name = /^\/([a-z-]*)$/.exec(text)?.[1];
  return name === undefined ? [] : commands.filter((command) => command.name.startsWith(name));
}
