import { expect, test } from 'vitest';
import { type SlashCommand, slashRows, unknownCommand } from './slash';

const ran: string[] = [];
const command = (name: string, more: Partial<SlashCommand> = {}): SlashCommand => ({
  name,
  hint: '',
  run: (argument) => void ran.push(`${name} ${argument}`),
  ...more,
});
const commands = [
  command('compact'),
  command('context'),
  command('model', { argument: 'NAME', needed: true, values: ['qwen3:8b', 'gemma3:12b'] }),
  command('review', { argument: 'TEXT' }),
];
const found = (text: string) => slashRows(text, commands).map(({ label }) => label);

test('a slash and the beginning of a name find the commands', () => {
  expect([found('/'), found('/co'), found('/compact'), found('/x')]).toEqual([
    ['/compact', '/context', '/model NAME', '/review TEXT'],
    ['/compact', '/context'],
    ['/compact'],
    [],
  ]);
});

test('a message is none, whatever is in it', () => {
  expect(['', 'compact', ' /compact', '/compact now', '/usr/bin', '/Co\n', '/unknown words'].flatMap(found)).toEqual(
    [],
  );
});

test('what can follow a name is offered, and what is written is taken where nothing of it fits', () => {
  expect(found('/model ')).toEqual(['/model qwen3:8b', '/model gemma3:12b']);
  expect(found('/model GEM')).toEqual(['/model gemma3:12b']);
  expect(found('/model own-model')).toEqual(['/model own-model']);
  expect(found('/review a.rs\nand b.rs')).toEqual(['/review a.rs\nand b.rs']);
});

test('Enter runs a command with what follows it, and only completes one that needs more', () => {
  const first = (text: string) => slashRows(text, commands)[0];
  ran.length = 0;
  void first('/compact')?.run?.();
  void first('/model gem')?.run?.();
  void first('/review  a.rs ')?.run?.();
  void first('/review')?.run?.();
  expect(ran).toEqual(['compact ', 'model gemma3:12b', 'review a.rs', 'review ']);
  expect([first('/mod')?.run, first('/mod')?.completed]).toEqual([null, '/model ']);
});

test('a command that there is not is known by its name, and a path is a message', () => {
  const commands: SlashCommand[] = [{ name: 'plan', hint: '', run: () => {} }];
  expect(
    ['/paln', '/paln the den', '/plan', '/plan it', '/etc/hosts', '/ what', '/', 'a /paln', '/4 of them'].map((text) =>
      unknownCommand(text, commands),
    ),
  ).toEqual(['paln', 'paln', null, null, null, null, null, null, null]);
});
