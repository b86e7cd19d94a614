import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  createMockService,
  defaultAssumptions,
  type GivenAssumptions,
} from '../../../mocks/index.js';

const page = readFileSync(new URL('../../../docs/assumptions.md', import.meta.url), 'utf8');

/** The rows of the page whose second cell names an assumption. */
const rows = page
  .split('\n')
  .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()))
  .filter(([, , name, standard]) => /^`\w+`$/.test(name ?? '') && standard !== undefined)
  .map(([, gap, name, standard, alternatives]) => ({
    gap: gap!,
    name: name!.slice(1, -1),
    default: standard!,
    alternatives: alternatives!,
  }));

/** The values that a cell names: what stands in backticks, as JSON or in single quotes. */
function values(cell: string): unknown[] {
  const quoted = [...cell.matchAll(/`([^`]+)`/g)].map(([, text]) => text!);
  return quoted.map((text) =>
    /^-?\d+n$/.test(text)
      ? BigInt(text.slice(0, -1))
      : (JSON.parse(text.replace(/^'(.*)'$/, '"$1"')) as unknown),
  );
}

test('the page lists every assumption once, and no other', () => {
  expect(rows.map(({ name }) => name).toSorted()).toEqual(
    Object.keys(defaultAssumptions).toSorted(),
  );
});

test('the page lists the defaults of the code', () => {
  for (const { name, default: cell } of rows) {
    if (name === 'codes') continue;
    expect([name, values(cell)[0]]).toEqual([
      name,
      defaultAssumptions[name as keyof typeof defaultAssumptions],
    ]);
  }
  for (const code of Object.values(defaultAssumptions.codes)) expect(page).toContain(`\`${code}\``);
});

test('every alternative of the page is one, and differs from the default', () => {
  for (const { name, alternatives } of rows) {
    const given = values(alternatives);
    expect(given.length + (alternatives.includes('a regular expression') ? 1 : 0)).toBeGreaterThan(
      0,
    );
    for (const value of given) {
      const { assumptions } = createMockService({
        assumptions: { [name]: value } as GivenAssumptions,
      });
      expect(assumptions[name as keyof typeof assumptions]).not.toEqual(
        defaultAssumptions[name as keyof typeof assumptions],
      );
    }
  }
});

test.for([
  'Category record fields',
  'Length limits of `name`',
  'Character limits of `name`',
  'Transitions between values',
  'Value assigned when `status` is omitted on creation',
  'Pagination mechanism beyond `limit`',
  'Result ordering',
  'response envelope',
  'Operations for store orders',
  'Operations for categories, and any update or delete operation on animals',
  'How an API key is obtained or rotated',
  'Events, webhooks or notifications',
  'The set of values of `code`',
  'The body shape of the 429 response',
  'Unit and format of the `Retry-After` value',
  'duration of a temporary ban',
  'Whether counting is per key or per other scope',
  'Which operations are `experimental` or `beta`',
  'Policy for introducing future versions',
])('the page covers each gap of the interface: %s', (gap) => {
  expect(page).toContain(gap);
});

test('the page says of every assumption how it is measured, or why it is not', () => {
  const measured = [...page.matchAll(/^\| `(\w+)` \| (.+) \|$/gm)].map(([, name]) => name!);
  expect(measured.toSorted()).toEqual(Object.keys(defaultAssumptions).toSorted());
});
