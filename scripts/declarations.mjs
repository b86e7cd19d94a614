// Writes the declarations of every entry. The text is that for CommonJS (.d.cts); the declarations for ES modules re-export it, since
// TypeScript lets an ES module import CommonJS, and not the other way round. Entries over msw have a text for each: msw's types have
// private members, so that one imported from CommonJS is another type than the same one imported from an ES module.
//
// The maps of the client's declarations lead an editor to TypeScript sources, which are copied to dist/src/. Those of the mock, the
// fleet and the bulk import have none: their sources would be a fifth of the package.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';
import entries from './entries.json' with { type: 'json' };
import { fieldDocsOf, missingDocs } from './field-docs.mjs';

const { dependencies, peerDependencies, exports } = JSON.parse(
  readFileSync('package.json', 'utf8'),
);
const external = [
  /^node:/,
  ...Object.keys({ ...dependencies, ...peerDependencies, exports }).map(
    (name) => new RegExp(`^${name}(/|$)`),
  ),
];

/** Entries that are ES modules alone. */
const esmOnly = Object.keys(entries).filter((name) =>
  Object.values(exports).some((target) => target.default === `./dist/${name}.js`),
);
const ownText = ['mocks/msw', 'mocks/node', 'mocks/browser', ...esmOnly];

const bundle = await rollup({
  input: entries,
  external,
  plugins: [
    {
      // The plugin would let entries import from each other instead of from chunks, and lose their maps.
      name: 'chunks-as-they-are',
      generateBundle(_options, files) {
        for (const file of Object.values(files)) if (file.type === 'chunk') file.isEntry = true;
      },
    },
    dts({ sourcemap: true, compilerOptions: { noEmit: false, declarationMap: true } }),
  ],
});
const options = { dir: 'dist', format: 'esm', sourcemap: true, sourcemapExcludeSources: true };
const chunkFileNames = '[name]-[hash].d.cts';
const write = (extension) =>
  bundle.generate({ ...options, entryFileNames: `[name].${extension}`, chunkFileNames });
const commonJs = (await write('d.cts')).output;
const esm = (await write('d.ts')).output;
await bundle.close();

const fieldDocs = fieldDocsOf(Object.values(entries));
for (const { type, fileName, ...chunk } of commonJs) {
  if (type !== 'chunk') continue;
  const { code, map } = withFieldDocs(withoutBareImports(chunk));
  const sources = map.sources.map((source) => join('dist', dirname(fileName), source));
  const leadsToClient = sources.every((source) => /^src\/(?!fleet\/|bulk\/)/.test(source));
  writeOut(fileName, leadsToClient ? code : withoutMap(code));
  if (!leadsToClient) continue;
  for (const source of sources) writeOut(source, readFileSync(source, 'utf8'));
  const inPackage = sources.map((source) => relative(dirname(fileName), source));
  // Segments may refer to names that Rollup leaves out.
  const names = map.names.length > 0 ? map.names : ['', '', '', ''];
  writeOut(`${fileName}.map`, JSON.stringify({ ...map, names, sources: inPackage }));
}

for (const name of Object.keys(entries)) {
  const chunk = esm.find(({ fileName }) => fileName === `${name}.d.ts`);
  const reExport = `export * from './${basename(name)}.cjs';\n`;
  const text = ownText.includes(name)
    ? withoutMap(withFieldDocs(withoutBareImports(chunk)).code)
    : reExport;
  writeOut(`${name}.d.ts`, text);
}
for (const name of esmOnly) rmSync(join('dist', `${name}.d.cts`));

/** Removes imports without names, which declare nothing, and their lines from the map. */
function withoutBareImports({ code, map }) {
  const isBare = (line) => /^import '[^']+';$/.test(line);
  const lines = code.split('\n');
  const mappings = map.mappings.split(';').filter((segments, index) => {
    if (isBare(lines[index]) && segments !== '') throw new Error(`mapped: ${lines[index]}`);
    return !isBare(lines[index]);
  });
  const kept = lines.filter((line) => !isBare(line));
  return { code: kept.join('\n'), map: { ...map, mappings: mappings.join(';') } };
}

/** Adds the comments of the fields of schemas, and lines without a mapping for them. */
function withFieldDocs({ code, map }) {
  const lines = code.split('\n');
  const mappings = map.mappings.split(';');
  for (const { line, text } of missingDocs(code, fieldDocs)) {
    const added = text.split('\n');
    lines.splice(line, 0, ...added);
    mappings.splice(line, 0, ...added.map(() => ''));
  }
  return { code: lines.join('\n'), map: { ...map, mappings: mappings.join(';') } };
}

function withoutMap(code) {
  return code.replace(/^\/\/# sourceMappingURL=.*$\n?/m, '');
}

function writeOut(file, text) {
  const path = join('dist', file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
