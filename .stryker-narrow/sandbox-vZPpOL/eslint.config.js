// @ts-nocheck
import js from '@eslint/js';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

export default defineConfig(
  {
    ignores: [
      'dist',
      'site',
      'coverage',
      'reports',
      'temp',
      '.stryker-tmp',
      'test/consumers',
      'test/runtimes',
      'test/release',
      'examples/*/**',
    ],
  },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: {
        // The type-checked rules need a program for each file: those outside tsconfig.json get a default one.
        projectService: { allowDefaultProject: ['*.config.ts', 'config/*.ts'] },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      // Numbers and bigints read well in a message; other values must be made text by hand.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // `() => void call()` says no more than `() => call()`.
      // The reason of a signal is passed on as it is, whatever its type: fetch does the same.
      '@typescript-eslint/prefer-promise-reject-errors': [
        'error',
        { allowThrowingAny: true, allowThrowingUnknown: true },
      ],
      '@typescript-eslint/only-throw-error': [
        'error',
        { allowThrowingAny: true, allowThrowingUnknown: true },
      ],
      '@typescript-eslint/no-confusing-void-expression': 'off',
      // It does not know exactOptionalPropertyTypes, and calls needless what the compiler demands.
      '@typescript-eslint/no-unnecessary-type-assertion': 'off',
      // With noUncheckedIndexedAccess, `!` is how one says that an index is known to be in bounds.
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_' },
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/explicit-module-boundary-types': 'error',
    },
  },
  {
    // The fleet's script for Redis is made of these: what means something else in Lua, or is slow there, is an error.
    files: [
      'src/fleet/rules/**/*.ts',
      'src/rate-limit/rules/{hold-rule,pace}.ts',
      'src/fleet/script/entry.ts',
    ],
    rules: {
      // In Lua 0 and '' are true.
      '@typescript-eslint/strict-boolean-expressions': [
        'error',
        { allowNumber: false, allowString: false, allowNullableObject: false },
      ],
      'no-restricted-syntax': [
        'error',
        ...[
          ['SpreadElement', 'a spread'],
          ['ClassDeclaration', 'a class'],
          ['TryStatement', 'try'],
          ['ContinueStatement', 'continue'],
          ['AwaitExpression', 'await'],
          ['Literal[regex]', 'a regular expression'],
          ['BinaryExpression[operator=/^(?:[|&^]|<<|>>>?)$/]', 'an operator on bits'],
          [
            'Identifier[name=/^(?:Object|Reflect|JSON|Date|Map|Set|Symbol)$/]',
            'a global of JavaScript',
          ],
        ].map(([selector, what]) => ({ selector, message: `Lua has no cheap form of ${what}.` })),
      ],
      '@typescript-eslint/no-invalid-void-type': ['error', { allowAsThisParameter: true }],
      // Lua has no other way.
      '@typescript-eslint/no-dynamic-delete': 'off',
    },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      // The deprecated operation must be tested until it is gone.
      '@typescript-eslint/no-deprecated': 'off',
      // What helps tests is not published, so its types may be inferred.
      '@typescript-eslint/explicit-module-boundary-types': 'off',
      // The matchers of `expect` (any, objectContaining) are of type any.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      // What a function of the user throws need not be an error.
      '@typescript-eslint/only-throw-error': 'off',
      // Texts are taken apart by code points on purpose.
      '@typescript-eslint/no-misused-spread': 'off',
      // Tests hold on to what the types promise and a broken build may not keep.
      '@typescript-eslint/no-unnecessary-condition': 'off',
    },
  },
  {
    files: ['bench/**/*.ts'],
    // Benches are run, not published, and stand outside tsconfig.json.
    extends: [tseslint.configs.disableTypeChecked],
    rules: {
      '@typescript-eslint/consistent-type-imports': 'off',
      '@typescript-eslint/explicit-module-boundary-types': 'off',
    },
  },
  {
    files: ['**/*.{js,mjs,cjs}'],
    languageOptions: {
      globals: Object.fromEntries(
        [
          'process',
          'console',
          'URL',
          'URLSearchParams',
          'fetch',
          'Response',
          'Request',
          'Headers',
          'performance',
          'setTimeout',
          'clearTimeout',
          'setImmediate',
          'structuredClone',
          'AbortSignal',
          'AbortController',
          'globalThis',
          'Buffer',
        ].map((name) => [name, 'readonly']),
      ),
    },
  },
  {
    // The page of the mock, in a browser.
    files: ['mocks/control/dashboard/*.js'],
    languageOptions: {
      globals: { document: 'readonly', FormData: 'readonly' },
    },
  },
);
