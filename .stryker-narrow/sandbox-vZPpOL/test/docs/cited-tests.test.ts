// @ts-nocheck
// Checks that the tests that docs/decisions/0011 cites exist under the cited titles.
import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { read, root } from '../support/documents.js';

interface TestFile {
  readonly source: string;
  /** The titles of its tests. What a title fills in is `…`. */
  readonly titles: readonly string[];
}

/** The test files, by their short names: `gate` is `gate.test.ts`, in any room. */
const files = new Map<string, TestFile[]>();
for (const path of globSync('test/**/*.test.ts', { cwd: root })) {
  const name = basename(path, '.test.ts').replace(/\.slow$/, '');
  const source = read(path);
  files.set(name, [...(files.get(name) ?? []), { source, titles: titlesOf(source) }]);
}

/** The rows of all tables on the page, as the cells of one row. */
const rows = read('docs/decisions/0011-pitfalls.md')
  .split('\n')
  .filter((line) => /^\| (?!what fails|#)/.test(line) && !line.startsWith('|---'))
  .map((line) => line.slice(2, -2).split(' | '));
const cited = rows.map((cells) => cells.at(-1)!);

test('each mistake on the page of common mistakes names a test or a command', () => {
  expect(rows.length).toBeGreaterThan(70);
  expect(cited.filter((cell) => !/`/.test(cell))).toEqual([]);
});

test('each test that the page of common mistakes cites exists under its title', () => {
  const missing = cited.filter((cell) => {
    const [, name, title] = /^`([\w-]+)`: (.+)$/.exec(cell) ?? [];
    if (name === undefined) return false;
    const candidates = files.get(name) ?? [];
    if (title === 'the whole file') return candidates.length === 0;
    return !candidates.some((file) => file.titles.some((each) => isCited(each, title!, file)));
  });
  expect(missing).toEqual([]);
});

/**
 * In a cited title `…` stands for any text, and the text that a title fills in may be given, as in `1,000 plain calls` for
 * `1,000 … calls`. Such a text must occur in the test file.
 */
function isCited(title: string, citation: string, { source }: TestFile): boolean {
  if (patternOf(citation).test(title)) return true;
  const [, ...filledIn] = patternOf(title).exec(citation) ?? [];
  return filledIn.length > 0 && filledIn.every((text) => text === '…' || source.includes(text));
}

function patternOf(title: string): RegExp {
  const literals = title.split('…').map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${literals.join('(.+)')}$`);
}

/** The titles of the tests, as the first argument of a call with a function behind it. */
function titlesOf(source: string): string[] {
  const calls = source.matchAll(
    /(['`"])((?:\\.|(?!\1)[^\\\n])+)\1,\s*(?:\{[^}]*\},\s*)?(?:async |\(|function)/g,
  );
  return [...calls].map(([, , title]) =>
    title!.replaceAll(/\\(.)/g, '$1').replaceAll(/%[sdifjop]|\$\{[^}]*\}|\$[\w.]+/g, '…'),
  );
}
