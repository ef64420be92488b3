// An answer before the first one, which nobody sees: patterns, templates and functions are compiled when they are first used, and
// the first words of a model should not wait for that.

import { mount, unmount } from 'svelte';
import Markdown from './Markdown.svelte';

/** The first line of an answer, and what answers often have. Code is not among it: its colours are fetched when there is some. */
const SAMPLE = 'An *answer* of **words** and `names`, [a link](#)\n\n# A title\n\n- a list\n- of two\n\n1. steps\n\n> a quote\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nand more';

export function warm(): void {
  const target = document.createElement('div');
  void unmount(mount(Markdown, { target, props: { text: SAMPLE, done: false } }));
}
