// Tools by what they do: a person reads no identifier where Orion knows the tool. Pure. Not here: what a call did (folds), and rules, which name a tool as settings do.

import { words } from '$lib/words';

const named = (names: Readonly<Record<string, string>>, name: string): string | null =>
  Object.hasOwn(names, name) ? (names[name] ?? null) : null;

/** Before what it is about: `Read`; of a tool that is not Orion's its own name. */
export function verbOf(name: string): string {
  return named(words.toolNames.verbs, name) ?? name;
}

/** The call that runs, in words; of several their number. */
export function runningWords(names: readonly string[]): string {
  const [one, ...others] = names;
  const known = one !== undefined && others.length === 0 ? named(words.toolNames.running, one) : null;
  return known ?? words.status.running(names);
}

/** The question whether it may run: `Read a file now?`. */
export function questionOf(name: string): string | null {
  return named(words.toolNames.questions, name);
}
