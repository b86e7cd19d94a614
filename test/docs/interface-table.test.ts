import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { defaultAssumptions } from '../../mocks/index.js';
import { cases } from '../../mocks/verify/cases/index.js';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const [defined, open] = read('../../docs/interface.md')
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
    expect(read(`../${file!}`)).toContain(`test('${title!}'`);
  }
});

test('each test of the interface is in the table', () => {
  const titles = [...read('../interface.test.ts').matchAll(/^test\('(.+?)', /gm)].map(
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
  expect([...named].toSorted()).toEqual(Object.keys(defaultAssumptions).toSorted());
});

test('each statement of the interface names the cases of the verification that ask for it, or says why there is none', () => {
  const ids = new Set(cases.map(({ id }) => id));
  const named = defined!.flatMap(([, , cell]) => {
    const names = [...cell!.matchAll(/`([\w.-]+)`/g)].map(([, name]) => name!);
    expect(cell!.startsWith('none: ') || names.length > 0).toBe(true);
    return names;
  });
  expect(named.filter((name) => !ids.has(name))).toEqual([]);
  const statements = [...ids].filter((id) => !id.startsWith('assumption.'));
  expect(statements.filter((id) => !named.includes(id))).toEqual([]);
});

test('each assumption has a case', () => {
  const asked = cases.flatMap(({ id }) => (id.startsWith('assumption.') ? [id.slice(11)] : []));
  expect(asked.toSorted()).toEqual(Object.keys(defaultAssumptions).toSorted());
});

test('each row of what the interface does not define names the cases that measure it, or says why there is none', () => {
  const isAsked = new Map(cases.map(({ id, level }) => [id, level !== 'never']));
  for (const [, assumption, , cell] of open!) {
    const assumptions = [...assumption!.matchAll(/`(\w+)`/g)].map(
      ([, name]) => `assumption.${name!}`,
    );
    const asked = assumptions.filter((id) => isAsked.get(id));
    const named = [...cell!.matchAll(/`(assumption\.\w+)`/g)].map(([, name]) => name!);
    expect(named).toEqual(asked);
    const hasReason = /(?:^|; )none(?: for `\w+`)?: \w/.test(cell!);
    expect({ cell, hasReason }).toEqual({
      cell,
      hasReason: asked.length === 0 || asked.length < assumptions.length,
    });
  }
});
