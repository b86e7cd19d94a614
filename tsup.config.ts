import { defineConfig, type Options } from 'tsup';

const common: Options = {
  target: 'es2022',
  platform: 'neutral',
  sourcemap: true,
  splitting: true,
  clean: false,
  removeNodeProtocol: false,
  external: ['msw', 'msw/node', 'msw/browser', /^node:/],
};

const universal = {
  index: 'src/index.ts',
  'contract/index': 'src/contract/index.ts',
  'mocks/index': 'mocks/index.ts',
};

export default defineConfig([
  {
    ...common,
    format: 'esm',
    dts: true,
    // The adapter between node:http and Request/Response is bundled, so that the server entry needs nothing installed.
    noExternal: ['@hono/node-server'],
    entry: {
      ...universal,
      'mocks/msw': 'mocks/msw.ts',
      'mocks/node': 'mocks/node.ts',
      'mocks/browser': 'mocks/browser.ts',
      'mocks/server': 'mocks/server.ts',
      'mocks/cli': 'mocks/cli.ts',
    },
  },
  {
    ...common,
    // ky is ES modules only: bundled, so that `require` works in any Node and in stock Jest.
    format: 'cjs',
    dts: true,
    noExternal: ['ky'],
    entry: universal,
  },
]);
