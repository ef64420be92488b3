// Finds in a component or a module what a person would read and what is not from the catalogue: text in markup, attributes that are
// read, and strings in code that are words. It goes by the syntax tree, so comments, styles and names of classes do not count.

import { parse } from 'svelte/compiler';

export interface Literal {
  text: string;
  /** Counted from 1. */
  line: number;
}

/** Attributes of elements that a person sees or hears. Of a component every attribute may be one. */
const READ = new Set([
  'title',
  'alt',
  'placeholder',
  'label',
  'aria-label',
  'aria-description',
  'aria-valuetext',
  'aria-roledescription',
]);
/** Names of keys and of the platform that stand in code like words. */
const NAMES = new Set([
  'Alt',
  'ArrowDown',
  'ArrowLeft',
  'ArrowRight',
  'ArrowUp',
  'Backspace',
  'Control',
  'ContextMenu',
  'Delete',
  'End',
  'Enter',
  'Escape',
  'F10',
  'Home',
  'Meta',
  'PageDown',
  'PageUp',
  'Shift',
  'Tab',
  'Ctrl',
  'Esc',
  'Mac',
]);

/** Two letters together, or a word that begins like a sentence. */
const inMarkup = (text: string) => /\p{L}{2}/u.test(text);
/** A word with a capital, or several words of letters and marks: no selector, no path, no list of classes. */
const inCode = (text: string) =>
  !NAMES.has(text.trim()) &&
  (/^\p{Lu}\p{Ll}+[.?…]?$/u.test(text.trim()) ||
    (/\p{L}{2}[,:;.]? \p{L}/u.test(text) && !/[<>#[\]{}=*]|^\s*\.|--/u.test(text)));

type Node = Record<string, unknown> & { type?: string; start?: number };
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

export function literals(source: string): Literal[] {
  const found: Literal[] = [];
  const lineAt = (start: number) => source.slice(0, start).split('\n').length;
  const add = (text: string, node: Node) =>
    found.push({ text: text.trim().replace(/\s+/gu, ' '), line: lineAt(node.start ?? 0) });

  function markup(value: unknown): void {
    if (Array.isArray(value)) return value.forEach(markup);
    if (!isNode(value)) return;
    if (value.type === 'Comment') return;
    if (value.type === 'Text') {
      if (inMarkup(String(value['data']))) add(String(value['data']), value);
      return;
    }
    if (value.type === 'Attribute') return attribute(value, false);
    if (value.type === 'Component' || value.type === 'RegularElement' || value.type === 'SvelteElement') {
      const { attributes, fragment, ...rest } = value;
      for (const each of attributes as Node[]) attribute(each, value.type === 'Component');
      markup(fragment);
      code(rest['expression']);
      return;
    }
    if (typeof value.type === 'string' && isExpression(value.type)) return code(value);
    for (const [key, child] of Object.entries(value)) if (key !== 'metadata' && key !== 'parent') markup(child);
  }

  function attribute(node: Node, ofComponent: boolean): void {
    if (node.type !== 'Attribute') return code(node);
    const name = String(node['name']);
    const parts = Array.isArray(node['value']) ? node['value'] : [node['value']];
    const quiet = /^(class|style|id|d|viewBox|type|role|href|data-.*)$/u.test(name);
    for (const part of parts) {
      if (!isNode(part)) continue;
      if (part.type !== 'Text') {
        if (!quiet) code(part);
      } else if (
        READ.has(name) ? inMarkup(String(part['data'])) : ofComponent && !quiet && inCode(String(part['data']))
      )
        add(String(part['data']), part);
    }
  }

  function code(value: unknown): void {
    if (Array.isArray(value)) return value.forEach(code);
    if (!isNode(value)) return;
    if (
      value.type === 'ImportDeclaration' ||
      value.type === 'TSLiteralType' ||
      (typeof value.type === 'string' &&
        value.type.startsWith('TS') &&
        value.type !== 'TSAsExpression' &&
        value.type !== 'TSSatisfiesExpression' &&
        value.type !== 'TSNonNullExpression')
    )
      return;
    // A fault of the program, never of what a person did: what catches it says so in words of the catalogue.
    if (value.type === 'NewExpression' && /Error$/u.test(String((value['callee'] as Node)['name']))) return;
    if (value.type === 'Literal' && typeof value['value'] === 'string') {
      if (inCode(value['value'])) add(value['value'], value);
      return;
    }
    if (value.type === 'TemplateLiteral') {
      const text = (value['quasis'] as { value: { cooked: string } }[]).map((quasi) => quasi.value.cooked).join('x');
      if (inCode(text) || / \p{L}{2}|\p{L}{2} /u.test(text)) add(text, value);
      return code(value['expressions']);
    }
    for (const [key, child] of Object.entries(value))
      if (!['metadata', 'parent', 'leadingComments', 'trailingComments', 'loc'].includes(key)) code(child);
  }

  const root = parse(source, { modern: true });
  markup(root.fragment);
  if (root.instance) code(root.instance.content);
  if (root.module) code(root.module.content);
  return found.sort((a, b) => a.line - b.line);
}

/** The same of a module of TypeScript. */
export function literalsOfModule(source: string): Literal[] {
  // In a text `<\/` is `</`, and ends no script.
  return literals(`<script lang="ts">${source.replaceAll('</script', '<\\/script')}\n</script>`);
}

const isExpression = (type: string) =>
  /(?:Expression|Literal|Identifier|Element)$/u.test(type) && !/^(?:Svelte|Title|Slot)/u.test(type);
