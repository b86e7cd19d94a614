// The tables of docs/assumptions.md are made from the rows of the code: UPDATE_DOCS=1 writes them.
import { writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { rules } from '../../../mocks/assumptions/answers.js';
import { candidates } from '../../../mocks/assumptions/assumptions.js';
import { isSame } from '../../../mocks/verify/measured-file.js';
import { valueAt, withValue } from '../../../mocks/verify/replay/rows.js';
import { table } from '../../../mocks/assumptions/table.js';
import { createMockService, defaultAssumptions, readAssumptions } from '../../../mocks/index.js';
import { read } from '../../support/documents.js';
import { everything, verifyMock } from '../../support/verified.js';

const file = new URL('../../../docs/assumptions.md', import.meta.url);
const page = read('docs/assumptions.md');

const code = (value: unknown) =>
  `\`${JSON.stringify(value)
    .replaceAll(/[:,](?=.)/g, '$& ')
    .replaceAll(/^\{|\}$/g, (brace) => (brace === '{' ? '{ ' : ' }'))}\``;
const line = (...cells: readonly string[]) =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
/** The response of a rule: its status and its code, if it has no other field. */
const response = (value: unknown) => {
  const { status, code: name, ...others } = Object(value) as { status?: number; code?: string };
  if (Object.keys(others).length > 0) return code(value);
  return [status, name && `\`${name}\``].filter((part) => part !== undefined).join(', ');
};
const listed = (texts: readonly string[], also: string | undefined) =>
  [...texts, ...(also === undefined ? [] : [also])].join(', ');

/** The comment of each row in a file: what it is about, and what else it may be. */
function commentsOf(name: string): ReadonlyMap<string, { about: string; also?: string }> {
  const comments = read(`mocks/assumptions/${name}.ts`).matchAll(
    /^ {2}\/\*\*((?:(?!\*\/).)*)\*\/\n {2}(\w+):/gms,
  );
  return new Map(
    [...comments].map(([, comment = '', row = '']) => {
      const words = comment.replaceAll(/\s*\n\s*\*/g, '').trim();
      const [, about = '', also] = /^(.+?)\.(?: Also: (.+)\.)?$/.exec(words) ?? [];
      return [row, { about, ...(also !== undefined && { also }) }];
    }),
  );
}

/** The lines of the two tables, by their headings. */
const tables: Readonly<Record<string, readonly string[]>> = {
  '| The interface does not show | Assumption | Default | Alternatives |': Object.keys(table).map(
    (name) => {
      const { about, also } = commentsOf('table').get(name)!;
      return name === 'answers'
        ? line(about, '`answers`', 'see there', 'see there')
        : line(
            about,
            `\`${name}\``,
            code(defaultAssumptions[name as 'ban']),
            listed(candidates.get(name)!.slice(1).map(code), also),
          );
    },
  ),
  '| When | Rule | Default | Alternatives |': Object.entries(rules).map(
    ([name, { candidates }]) => {
      const [standard, ...others] = candidates;
      const answer = defaultAssumptions.answers[name as 'banned'];
      const { body: _, retryAfter: __, ...shown } = answer;
      return line(
        commentsOf('answers').get(name)!.about,
        `\`${name}\``,
        response(typeof standard === 'string' ? standard : shown),
        listed(
          others.map(response),
          others.length === 0 ? `any ${'status' in answer ? 'status and ' : ''}code` : undefined,
        ),
      );
    },
  ),
};

test('the tables of the page are those of the code', () => {
  const made = Object.entries(tables).reduce((text, [heading, lines]) => {
    const start = text.indexOf(heading);
    expect(start).toBeGreaterThan(0);
    const end = text.indexOf('\n\n', start);
    return `${text.slice(0, start)}${[heading, '|---|---|---|---|', ...lines].join('\n')}${text.slice(end)}`;
  }, page);
  if (process.env['UPDATE_DOCS'] !== undefined) writeFileSync(file, made);
  else expect(page).toBe(made);
});

test('every candidate is what a service takes, in code and in JSON, the first is the default, and no other is', () => {
  expect(candidates.size).toBeGreaterThan(45);
  for (const [name, values] of candidates)
    for (const [index, value] of values.entries()) {
      const given = withValue({}, name, value);
      const { assumptions } = createMockService({ assumptions: given });
      const isDefault = isDeepStrictEqual(assumptions, defaultAssumptions);
      expect([name, given, isDefault]).toEqual([name, given, index === 0]);
      expect(readAssumptions(JSON.stringify(given))).toEqual(given);
    }
});

/** What a verification measures of any service, whatever else it assumes. */
const measured =
  /^(?:omittedStatus|ids|longestList|listOrder|unknownPathNeedsKey|countingScope|unauthorized.*|resetUnit|dateHeader)$|^answers\.(?!banned|fault|mockDefect|rateLimited|removed|wrongMethod)/;
const chosen = [...candidates].filter(([name]) => measured.test(name));
const turns = Math.max(...chosen.map(([, values]) => values.length));

test.for(Array.from({ length: turns }, (_, turn) => turn))(
  'a service under the candidate %i of each assumption does what a verification measures as that',
  async (turn) => {
    expect(chosen.length).toBeGreaterThan(25);
    const assumptions = chosen.reduce(
      (all, [name, values]) => withValue(all, name, values[turn % values.length]),
      {},
    );
    const keys = { one: { plan: 'pro' }, other: { plan: 'pro' } } as const;
    const options = { ...everything, apiKey: 'one', secondKey: 'other' };
    const { report, service } = await verifyMock(assumptions, options, { keys, seed: 130 });
    const wrong = chosen.filter(([name]) => {
      const { value, among } = report.assumptions[name]!;
      // A sequence shows, but not its first id.
      const found = name === 'ids' ? (value ?? among?.[0]) : value;
      return !isSame(found, valueAt(service.assumptions, name));
    });
    expect(wrong.map(([name]) => [name, report.assumptions[name]])).toEqual([]);
  },
);

test.for([
  'Category record fields',
  'Transitions between values',
  'Pagination mechanism beyond `limit`',
  'response envelope',
  'Operations for categories',
  'How an API key is obtained or rotated',
  'Events, webhooks or notifications',
  'Which operations are `experimental` or `beta`',
  'Policy for introducing future versions',
])('the page of the interface lists each gap for which there is no assumption: %s', (gap) => {
  expect(read('docs/interface.md').split('## Not defined')[1]).toContain(gap);
});
