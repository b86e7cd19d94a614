// Checks that the tests that docs/decisions/0011, docs/interface.md and test/fixed-bugs.txt cite exist under the cited titles, and that docs/interface.md is whole.
import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { read, root } from '../support/documents.js';
import { defaultAssumptions } from '../../mocks/index.js';
import { statements } from '../../mocks/verify/statements/table.js';

interface TestFile {
  readonly source: string;
  /** The titles of its tests. What a title fills in is `…`. */
  readonly titles: readonly string[];
}

/** The test files, by their paths and by their short names: `gate` is `gate.test.ts`, in any room. */
const files = new Map<string, TestFile[]>();
for (const path of globSync('test/**/*.test.ts', { cwd: root })) {
  const source = read(path);
  const file = { source, titles: titlesOf(source) };
  for (const name of [path.slice(5), basename(path, '.test.ts').replace(/\.slow$/, '')])
    files.set(name, [...(files.get(name) ?? []), file]);
}

/** The rows of all tables on the page, as the cells of one row. */
const rows = read('docs/decisions/0011-pitfalls.md')
  .split('\n')
  .filter((line) => /^\| (?!what fails|#)/.test(line) && !line.startsWith('|---'))
  .map((line) => line.slice(2, -2).split(' | '));
const cited = rows.map((cells) => cells.at(-1)!);

const [defined, open] = read('docs/interface.md')
  .split(/^## /m)
  .slice(1)
  .map((section) =>
    section
      .split('\n')
      .filter((line) => /^\| (?!The interface|---)/.test(line))
      .map((line) => line.slice(2, -2).split(' | ')),
  );

test('each mistake on the page of common mistakes names a test or a command', () => {
  expect(rows.length).toBeGreaterThan(65);
  expect(cited.filter((cell) => !/`/.test(cell))).toEqual([]);
});

test('each test that the page of common mistakes or that of the interface cites exists under its title', () => {
  const tests = defined!.map(([, cell]) => cell!);
  expect(tests.length).toBeGreaterThan(25);
  expect(tests.filter((cell) => !/^`.*\.test\.ts`: ./.test(cell))).toEqual([]);
  const missing = [...cited, ...tests].filter((cell) => {
    const [, name, title] = /^`([\w./-]+)`: (.+)$/.exec(cell) ?? [];
    if (name === undefined) return false;
    const candidates = files.get(name) ?? [];
    if (title === 'the whole file') return candidates.length === 0;
    return !candidates.some((file) => file.titles.some((each) => isCited(each, title!, file)));
  });
  expect(missing).toEqual([]);
});

test('each test that covers a fixed bug exists under its title', () => {
  const sections = read('test/fixed-bugs.txt').split('\n\n').slice(2);
  const missing = sections.flatMap((section) => {
    const [path = '', ...lines] = section.split('\n');
    const titles = titlesOf(read(`test/${path}`));
    return lines
      .filter((line) => /^ {2}\S/.test(line))
      .map((line) => line.trim())
      .filter((cited) => !titles.some((title) => patternOf(cited).test(title)))
      .map((cited) => `${path}: ${cited}`);
  });
  expect(missing).toEqual([]);
  expect(sections.length).toBeGreaterThan(100);
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

test('each test of the interface is in the table', () => {
  for (const title of files.get('interface.test.ts')![0]!.titles)
    expect(defined!.some(([, cell]) => cell! === `\`interface.test.ts\`: ${title}`)).toBe(true);
});

test('each assumption is in the table of what the interface does not define, and no cell is empty', () => {
  for (const row of [...defined!, ...open!])
    expect(row.every((cell) => cell.trim() !== '')).toBe(true);
  const named = new Set(
    open!.flatMap(([, cell]) => [...cell!.matchAll(/`(\w+)`/g)].map(([, name]) => name!)),
  );
  const assumptions = Object.keys(defaultAssumptions);
  const known = [...assumptions, ...Object.keys(defaultAssumptions.answers)];
  expect(assumptions.filter((name) => !named.has(name))).toEqual([]);
  expect([...named].filter((name) => !known.includes(name))).toEqual([]);
});

test('each statement of the interface names what the verification asks for, or says why there is nothing', () => {
  const ids = statements.map(({ id }) => id);
  const named = defined!.flatMap(([, , cell]) => {
    const names = [...cell!.matchAll(/`([\w.-]+)`/g)].map(([, name]) => name!);
    expect(cell!.startsWith('none: ') || names.length > 0).toBe(true);
    return cell!.startsWith('none: ') ? [] : names;
  });
  expect(named.filter((name) => !ids.includes(name))).toEqual([]);
  expect(ids.filter((id) => !named.includes(id))).toEqual([]);
});
