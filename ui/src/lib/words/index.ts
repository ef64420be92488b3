// The words of the window. Each language is a folder with a file for each page; a language that lacks a word does not compile.
// Components take every word that a person reads from here: `literals.test.ts` fails on one that holds its own.

import * as en from './en';

export type Words = typeof en;

export const words: Words = en;
