// Builds the page once more, into a folder of its own, with the licences of the npm packages in it: node scripts/licences.mjs FOLDER.
// The window's own build has none, since what is in it is in the program.

import { build } from 'vite';

const [outDir] = process.argv.slice(2);
await build({ logLevel: 'error', build: { outDir, emptyOutDir: true, license: { fileName: 'licences.md' } } });
