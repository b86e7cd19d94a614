// @ts-nocheck
import { expect, test } from 'vitest';
import { defaultAssumptions } from '../../mocks/index.js';
import { statements } from '../../mocks/verify/statements/table.js';
import { read } from '../support/documents.js';

const [defined, open] = read('docs/interface.md')
  .split(/^## /m)
  .slice(1)
  .map((section) =>
    section
      .split('\n')
      .filter((line) => /^\| (?!The interface|---)/.test(line))
      .map((line) => line.slice(2, -2).split(' | ')),
  );

test('each statement of the interface has a test that exists under the title in the table', () => {
  expect(defined!.length).toBeGreaterThan(25);
  for (const [, cell] of defined!) {
    const [, file, title] = /^`([\w/-]+\.test\.ts)`: (.+)$/.exec(cell!)!;
    expect(read(`test/${file!}`)).toContain(`test('${title!}'`);
  }
});

test('each test of the interface is in the table', () => {
  const titles = [...read('test/interface.test.ts').matchAll(/^test\('(.+?)', /gm)].map(
    ([, title]) => title!,
  );
  for (const title of titles)
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
