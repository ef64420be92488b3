// The rules that find faults. The look of the code is prettier's; types, unused locals and unreachable code are the compiler's
// (`npm run check`).

import js from '@eslint/js';
import svelte from 'eslint-plugin-svelte';
import { defineConfig, globalIgnores } from 'eslint/config';
import globals from 'globals';
import ts from 'typescript-eslint';
import svelteConfig from './svelte.config.js';

export default defineConfig(
  globalIgnores(['dist/', 'dist-replay/', 'test-results/', 'playwright-report/', 'src/lib/generated/']),
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,
  ts.configs.recommendedTypeChecked,
  svelte.configs.recommended,
  svelte.configs.prettier,
  {
    languageOptions: { parserOptions: { project: './tsconfig.json', extraFileExtensions: ['.svelte'] } },
    rules: {
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'prefer-const': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', destructuredArrayIgnorePattern: '^_' },
      ],
      // It takes a field that `??=` reads for an unused one. The compiler finds those that are.
      'no-unused-private-class-members': 'off',
      // What the core refuses is thrown as it comes over the wire: an `ErrorInfo`, which is no `Error`.
      '@typescript-eslint/only-throw-error': 'off',
      '@typescript-eslint/prefer-promise-reject-errors': 'off',
      // A component that is imported is `any` to the linter.
      '@typescript-eslint/no-redundant-type-constituents': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      // Invisible characters are named by their numbers, so that a reader sees them.
      'no-misleading-character-class': ['error', { allowEscape: true }],
      // The window shows control characters and takes them out, so its patterns name them.
      'no-control-regex': 'off',
      // State is replaced as a whole (`$state.raw`); a set or a map in a local or a private field is nobody's state.
      'svelte/prefer-svelte-reactivity': 'off',
      // `{' '}` keeps a space at the edge of a block, where Svelte drops it.
      'svelte/no-useless-mustaches': 'off',
      // The window has no stores.
      'svelte/require-store-reactive-access': 'off',
      'svelte/valid-compile': 'error',
    },
  },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: ts.parser, svelteConfig } },
    rules: {
      // The compiler knows all names.
      'no-undef': 'off',
      // It knows that props are declared with `let` where one of them is bound.
      'prefer-const': 'off',
      'svelte/prefer-const': ['error', { destructuring: 'all' }],
    },
  },
  // The types of all components take as long again as those of all modules, and `npm run check` has looked at them.
  { files: ['**/*.svelte'], extends: [ts.configs.disableTypeChecked] },
  {
    files: ['**/*.js', '**/*.mjs'],
    extends: [ts.configs.disableTypeChecked],
    languageOptions: { globals: globals.node },
  },
  { files: ['src/**/*.js'], languageOptions: { globals: globals.browser } },
);
