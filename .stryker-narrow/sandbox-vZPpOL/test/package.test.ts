// @ts-nocheck
import { expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import entries from '../scripts/entries.json' with { type: 'json' };

/** The ES module of each entry, by its name: `.` is `./dist/index.js`, `./mocks` is `./dist/mocks/index.js`. */
const built = Object.entries(manifest.exports).flatMap(([name, target]): [string, string][] => {
  if (typeof target === 'string') return [];
  return [[name, 'import' in target ? target.import.default : target.default]];
});

test('each entry of the build is exported, and nothing else is', () => {
  const files = built.map(([, file]) => file);
  expect(files.toSorted()).toEqual(
    Object.keys(entries)
      .map((entry) => `./dist/${entry}.js`)
      .toSorted(),
  );
});

test('Parcel, which reads no exports unless told, finds each sub-entry by its alias', () => {
  expect(manifest.alias).toEqual(Object.fromEntries(built.filter(([name]) => name !== '.')));
});
