// @ts-nocheck
import { defineConfig, type Options } from 'tsup';
import ts from 'typescript';
import { define } from './scripts/dashboard.mjs';
import entry from './scripts/entries.json' with { type: 'json' };

/**
 * The entries for programs. They hold the parts of zod that they use, because `zod` loads about 100 files, most of them the messages of
 * other languages. The other entries share the zod of the app.
 */
const { index, 'bulk/index': bulk, 'fleet/index': fleet, ...sharingZod } = entry;

/** Parts of `petstore-client` that a bundler can take alone: each becomes a chunk of its own. */
const parts = {
  client: 'src/client.ts',
  errors: 'src/errors/errors.ts',
  gates: 'src/gate/shared-gates.ts',
  // The parts of zod: without a chunk of their own, `PetStatus` alone would bring some of them.
  builders: 'src/contract/schema-builders.ts',
  // Runs before ky, which would fail without a word about what to do where a web standard is missing.
  platform: 'src/utils/platform.ts',
};

/** What a comment may hold that a bundler reads, and the names of files, which show a reader of a stack trace where they are. */
const keptComment = /[@#]__(?:PURE|NO_SIDE_EFFECTS)__|^\/\/ (?:src|mocks|node_modules)\//;

/** Removes the comments, which would be a tenth of the modules: they stand in the sources and the declarations. */
function withoutComments(code: string): string {
  const file = ts.createSourceFile('chunk.js', code, ts.ScriptTarget.Latest, true);
  const ranges = new Map<number, number>();
  const collect = (start: number, end: number) => void ranges.set(start, end);
  const visit = (node: ts.Node): void => {
    const children = node.getChildren(file);
    if (children.length > 0) return children.forEach(visit);
    ts.forEachLeadingCommentRange(code, node.getFullStart(), collect);
    ts.forEachTrailingCommentRange(code, node.getEnd(), collect);
  };
  visit(file);
  let text = '';
  let at = 0;
  for (const [start, end] of [...ranges].sort(([one], [other]) => one - other)) {
    if (keptComment.test(code.slice(start, end))) continue;
    // A comment alone on its lines goes with them.
    const lineStart = code.lastIndexOf('\n', start) + 1;
    const isAlone = code[end] === '\n' && code.slice(lineStart, start).trim() === '';
    text += code.slice(at, isAlone ? lineStart : start);
    at = isAlone ? end + 1 : end;
  }
  return text + code.slice(at);
}

/** Imports between chunks that only run them. The package has no side effects, and bundlers warn of such imports. */
const bareChunkImport = /^import "\.\.?\/(?:\.\.\/)*chunk-[\w-]+\.js";$/gm;

// The ES modules, which share chunks: the program `petstore-mock` loads those of the other entries. scripts/commonjs.mjs makes the
// CommonJS build of them, and scripts/declarations.mjs writes the declarations. The modules have no maps: nothing is minified, so
// that a stack trace shows readable lines under the names of their sources, and maps would be a third of the package.
const modules: Options = {
  format: 'esm',
  target: 'es2022',
  platform: 'neutral',
  splitting: true,
  // scripts/clean.mjs has run.
  clean: false,
  removeNodeProtocol: false,
  external: ['msw', 'msw/node', 'msw/browser', /^node:/],
  plugins: [
    {
      name: 'smaller',
      renderChunk: (code, { map }) => ({
        code: withoutComments(code.replaceAll(bareChunkImport, '')),
        map,
      }),
    },
  ],
};

export default defineConfig([
  {
    ...modules,
    entry: { index, 'bulk/index': bulk, 'fleet/index': fleet, ...parts },
    noExternal: ['zod'],
    // scripts/licences.mjs reads what was bundled. The package does not hold this file.
    metafile: true,
  },
  { ...modules, define, entry: { ...sharingZod, 'mocks/cli': 'mocks/cli.ts' } },
]);
