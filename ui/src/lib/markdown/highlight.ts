// Colours for finished code blocks: shiki with its JavaScript engine, loaded when the first block needs it, each
// language when it is first seen. Colours are CSS variables, so a change of theme costs nothing.

import type { HighlighterCore, LanguageInput } from 'shiki/core';

export interface Span {
  text: string;
  color: string | undefined;
}

const LANGUAGES: Record<string, () => LanguageInput> = {
  bash: () => import('shiki/langs/bash.mjs'),
  c: () => import('shiki/langs/c.mjs'),
  css: () => import('shiki/langs/css.mjs'),
  diff: () => import('shiki/langs/diff.mjs'),
  go: () => import('shiki/langs/go.mjs'),
  html: () => import('shiki/langs/html.mjs'),
  java: () => import('shiki/langs/java.mjs'),
  javascript: () => import('shiki/langs/javascript.mjs'),
  json: () => import('shiki/langs/json.mjs'),
  python: () => import('shiki/langs/python.mjs'),
  rust: () => import('shiki/langs/rust.mjs'),
  sql: () => import('shiki/langs/sql.mjs'),
  toml: () => import('shiki/langs/toml.mjs'),
  typescript: () => import('shiki/langs/typescript.mjs'),
  yaml: () => import('shiki/langs/yaml.mjs'),
};

const ALIASES: Record<string, string> = {
  sh: 'bash',
  shell: 'bash',
  zsh: 'bash',
  console: 'bash',
  h: 'c',
  cpp: 'c',
  'c++': 'c',
  hpp: 'c',
  js: 'javascript',
  jsx: 'javascript',
  mjs: 'javascript',
  jsonc: 'json',
  py: 'python',
  rs: 'rust',
  ts: 'typescript',
  tsx: 'typescript',
  yml: 'yaml',
  xml: 'html',
  svelte: 'html',
};

/** Characters beyond which a block stays plain: colouring it would hold up the window. */
const MAX_COLOURED = 20_000;

/**
 * By default a line has half a second, and what is left of it and all below it is coloured wrongly then. The first block after a start may need more on a
 * slow machine, as each expression of a grammar is compiled when it is first tried. So lines are bounded by their length.
 */
const BOUNDS = { tokenizeTimeLimit: 0, tokenizeMaxLineLength: 2_000 };

let core: Promise<HighlighterCore> | undefined;
const loaded = new Map<string, Promise<void>>();

/** The block's lines as coloured spans, or null when the language is not known or the block is too long. */
export async function highlight(code: string, lang: string): Promise<Span[][] | null> {
  const name = ALIASES[lang.toLowerCase()] ?? lang.toLowerCase();
  const load = Object.hasOwn(LANGUAGES, name) ? LANGUAGES[name] : undefined;
  if (!load || code.length > MAX_COLOURED) return null;
  core ??= open();
  const highlighter = await core;
  const ready = loaded.get(name) ?? highlighter.loadLanguage(load());
  loaded.set(name, ready);
  await ready;
  const { tokens } = highlighter.codeToTokens(code, { lang: name, theme: 'orion', ...BOUNDS });
  return tokens.map((line) => line.map(({ content, color }) => ({ text: content, color })));
}

/**
 * False for a selector with a part that is a name of `Object.prototype`, such as `meta.instance.constructor`: shiki keeps the parts as keys of plain
 * objects, and the window freezes that prototype, so that such a key cannot be set.
 */
const isPlain = (selector: string): boolean => !selector.split(/[\s.]/).some((part) => part in Object.prototype);

async function open(): Promise<HighlighterCore> {
  const [{ createHighlighterCore, createCssVariablesTheme }, { createJavaScriptRegexEngine }] = await Promise.all([
    import('shiki/core'),
    import('shiki/engine/javascript'),
  ]);
  const theme = createCssVariablesTheme({ name: 'orion', variablePrefix: '--shiki-' });
  return createHighlighterCore({
    themes: [
      {
        ...theme,
        tokenColors:
          theme.tokenColors?.map((rule) => ({ ...rule, scope: [rule.scope ?? []].flat().filter(isPlain) })) ?? [],
      },
    ],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
}
