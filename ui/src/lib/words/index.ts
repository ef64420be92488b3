// The words of the window. Each language is a folder with a file for each page; a language that lacks a word does not compile.
// Components take every word that a person reads from here (0055): `literals.test.ts` fails on a component or a module that holds its own, and
// `used.test.ts` on a word that nothing asks for. A sentence with elements in it is drawn by ui/common/Sentence.svelte.

import * as en from './en';

export type Words = typeof en;

export const words: Words = en;
