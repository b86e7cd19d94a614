import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (file: string) =>
  JSON.parse(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')) as never;

interface Files {
  readonly types: string;
  readonly default: string;
}

/** An entry: its ES modules, and its CommonJS unless Node has to load the ES modules for `require`. */
interface Entry {
  readonly name: string;
  readonly import: Files;
  readonly require?: Files;
}

interface Manifest {
  readonly exports: Readonly<
    Record<string, string | Files | Readonly<Record<'import' | 'require', Files>>>
  >;
  readonly typesVersions: { readonly '*': Readonly<Record<string, readonly [string]>> };
  readonly alias: Readonly<Record<string, string>>;
  readonly bin: Readonly<Record<string, string>>;
}

const manifest: Manifest = read('package.json');
const entries: Readonly<Record<string, string>> = read('scripts/entries.json');

/** `.` is `index`, `./mocks` is `mocks/index`, `./mocks/node` is `mocks/node`. */
const built = Object.entries(manifest.exports).flatMap(([name, target]): Entry[] => {
  if (typeof target === 'string') return [];
  return 'import' in target ? [{ name, ...target }] : [{ name, import: target }];
});
const subEntries = built.filter(({ name }) => name !== '.');

test('each entry of the build is exported, and nothing else is', () => {
  const files = built.map(({ import: esm }) => esm.default);
  expect(files.toSorted()).toEqual(
    Object.keys(entries)
      .map((entry) => `./dist/${entry}.js`)
      .toSorted(),
  );
});

test('an entry has its types beside it, in both formats, but for the verification, which is ES modules alone', () => {
  for (const { import: esm, require: commonJs } of built) {
    expect(esm.types).toBe(esm.default.replace(/\.js$/, '.d.ts'));
    if (commonJs === undefined) continue;
    expect(commonJs.types).toBe(commonJs.default.replace(/\.cjs$/, '.d.cts'));
    expect(commonJs.default).toBe(esm.default.replace(/\.js$/, '.cjs'));
  }
  const esmOnly = built.filter(({ require: commonJs }) => commonJs === undefined);
  expect(esmOnly.map(({ name }) => name)).toEqual(['./mocks/verify']);
});

test('Parcel, which reads no exports unless told, finds each sub-entry by its alias', () => {
  expect(manifest.alias).toEqual(
    Object.fromEntries(subEntries.map(({ name, import: esm }) => [name, esm.default])),
  );
});

test('TypeScript with the resolution of Node 10 finds the types of each sub-entry', () => {
  expect(manifest.typesVersions['*']).toEqual(
    Object.fromEntries(
      subEntries.map(({ name, import: esm, require: commonJs }) => [
        name.slice(2),
        [(commonJs ?? esm).types],
      ]),
    ),
  );
});

test('the path of the program is spelled as npm publishes it', () => {
  expect(manifest.bin).toEqual({ 'petstore-mock': 'dist/mocks/cli.js' });
});
