import { defineConfig, type Options } from 'tsup';
import entry from './scripts/entries.json' with { type: 'json' };

// The declarations are written by scripts/declarations.mjs, with maps that lead to the sources in the package. The modules
// have no maps: they are readable, and maps would be a third of the package.
const common: Options = {
  target: 'es2022',
  platform: 'neutral',
  splitting: true,
  // scripts/licences.mjs reads what was bundled. The package does not hold these files.
  metafile: true,
  // The builds run side by side, so none may clean the folder (scripts/clean.mjs runs before all of them).
  clean: false,
  removeNodeProtocol: false,
  external: ['msw', 'msw/node', 'msw/browser', /^node:/],
  esbuildOptions(options) {
    // Only CommonJS is made smaller: minified modules lose the marks by which bundlers drop what is not used. Names are kept,
    // so that stack traces stay readable.
    options.minifyWhitespace = options.format === 'cjs';
    options.minifySyntax = options.format === 'cjs';
    // Lines of a length that tools and people can read.
    if (options.format === 'cjs') options.lineLimit = 160;
  },
};

/** Parts of `petstore-client` that a bundler can take alone: each becomes a chunk of its own. */
const parts = {
  client: 'src/client.ts',
  errors: 'src/errors/errors.ts',
  gates: 'src/rate-limit/shared-gates.ts',
};

/** Imports between chunks that only run them. The package has no side effects, and bundlers warn of such imports. */
const bareChunkImport = /^import "\.\.?\/(?:\.\.\/)*chunk-[\w-]+\.js";$/gm;

export default defineConfig([
  {
    ...common,
    format: 'esm',
    // The adapter between node:http and Request/Response is bundled, so that the server entry needs no other package.
    noExternal: ['@hono/node-server'],
    entry: { ...entry, ...parts },
    plugins: [
      {
        name: 'without-bare-chunk-imports',
        renderChunk: (code, { map }) => ({ code: code.replaceAll(bareChunkImport, ''), map }),
      },
    ],
  },
  {
    ...common,
    format: 'esm',
    // The program is one file with zod in it: it starts a third sooner.
    splitting: false,
    noExternal: ['@hono/node-server', 'csv-parse', 'zod'],
    minify: true,
    outDir: 'dist/mocks',
    entry: { cli: 'mocks/cli.ts' },
  },
  {
    ...common,
    format: 'cjs',
    // tsup splits CommonJS by way of Sucrase, which drops the names of classes: errors would print as _class12.
    splitting: false,
    // ky is published as ES modules only. It is bundled, so that `require` works in every Node and in stock Jest.
    noExternal: ['ky', '@hono/node-server'],
    entry,
    esbuildPlugins: [
      {
        name: 'one-copy-of-the-service',
        setup(build) {
          // mocks/node.cjs and mocks/browser.cjs require mocks/index.cjs instead of holding a copy of it.
          build.onResolve({ filter: /^\.\/index\.js$/ }, ({ importer }) =>
            /\/mocks\/(?:node|browser)\.ts$/.test(importer)
              ? { path: './index.cjs', external: true }
              : undefined,
          );
        },
      },
    ],
  },
]);
