// The arguments of a call as a person looks at them: the one that matters first, and what the tool would take anyway apart. Not here: how
// they look.

import { mainArgument } from './words';

export type Argument = readonly [name: string, value: unknown];

export interface CallArguments {
  /** What the model chose. */
  chosen: Argument[];
  /** What it left to the tool, or said as the tool has it. */
  defaults: Argument[];
}

/** `schema` is the JSON Schema of the tool's arguments; null where it is not known. */
export function sorted(args: unknown, schema: unknown): CallArguments {
  const all = Object.entries(Object(args) as Record<string, unknown>);
  const main = mainArgument(args);
  const isMain = ([, value]: Argument) => main !== '' && (value === main || JSON.stringify(value) === main);
  const isDefault = ([name, value]: Argument) => {
    const known = defaultOf(schema, name);
    return known !== undefined && JSON.stringify(known) === JSON.stringify(value);
  };
  const defaults = all.filter((argument) => isDefault(argument) && !isMain(argument));
  const rest = all.filter((argument) => !defaults.includes(argument));
  return { chosen: [...rest.filter(isMain), ...rest.filter((argument) => !isMain(argument))], defaults };
}

function defaultOf(schema: unknown, name: string): unknown {
  const properties = (Object(schema) as { properties?: Record<string, { default?: unknown }> }).properties;
  return properties?.[name]?.default;
}

/** An argument as text that a person can change. */
export function written(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What a person wrote, as a value of the same kind as before. Null where it is none. */
export function read(text: string, before: unknown): { value: unknown } | null {
  if (typeof before === 'string') return { value: text };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
}
