import { defineConfig, type Options } from 'tsup';

const entry = {
  index: 'src/index.ts',
  'contract/index': 'src/contract/index.ts',
  'mocks/index': 'mocks/index.ts',
  'mocks/msw': 'mocks/msw.ts',
  'mocks/node': 'mocks/node.ts',
  'mocks/browser': 'mocks/browser.ts',
  'mocks/server': 'mocks/server.ts',
};

const common: Options = {
  target: 'es2022',
  platform: 'neutral',
  sourcemap: true,
  splitting: true,
  // The two builds run side by side: neither may sweep away what the other wrote (scripts/clean.mjs runs before both).
  clean: false,
  removeNodeProtocol: false,
  external: ['msw', 'msw/node', 'msw/browser', /^node:/],
  dts: { entry },
};

export default defineConfig([
  {
    ...common,
    format: 'esm',
    // The adapter between node:http and Request/Response is bundled, so that the server entry needs nothing installed.
    noExternal: ['@hono/node-server'],
    // What two entries hold goes into a chunk: index.js is left with nothing but exports, so that a bundler that takes PetStatus
    // alone from it takes no client with it.
    entry: { ...entry, client: 'src/client.ts' },
  },
  {
    ...common,
    format: 'esm',
    // A program shares nothing with the app that installs it: in one file, with zod in it, it starts a third sooner.
    splitting: false,
    sourcemap: false,
    dts: false,
    noExternal: ['@hono/node-server', 'zod'],
    entry: { 'mocks/cli': 'mocks/cli.ts' },
  },
  {
    ...common,
    format: 'cjs',
    // tsup shares chunks of CommonJS by way of Sucrase, which rewrites classes and takes their names away: errors would print as _class12.
    splitting: false,
    // ky is ES modules only: bundled, so that `require` works in any Node and in stock Jest.
    noExternal: ['ky', '@hono/node-server'],
    entry,
  },
]);
