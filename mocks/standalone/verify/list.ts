import { assumptionOf, type CaseLevel } from '../../verify/case.js';
import { cases } from '../../verify/cases/index.js';

const statements = 'Statements of the interface';
const assumptions = 'Assumptions: what the interface leaves open';
const neverAsked = 'Never asked';

/** What a case needs on the command line, besides an address. */
const needs: Readonly<Record<CaseLevel, string>> = {
  get: '',
  posts: '  (--allow-posts)',
  create: '  (--allow-create)',
  'rate-limit': '  (--allow-rate-limit)',
  never: '',
};

/** What `petstore-mock verify --list` prints: every name that `--only` takes. */
export function caseList(): string {
  const rows = cases.map((one) => {
    const { id, title, level, why } = one;
    const assumption = assumptionOf(one);
    return {
      name: assumption ?? id,
      text: why === undefined ? title + needs[level] : `${title} (${why})`,
      block: level === 'never' ? neverAsked : assumption ? assumptions : statements,
    };
  });
  const width = Math.max(...rows.map(({ name }) => name.length));
  return [
    'Names for --only. A group is what stands before the dot: --only list,auth',
    ...[statements, assumptions, neverAsked].flatMap((title) => [
      '',
      title,
      ...rows
        .filter(({ block }) => block === title)
        .map(({ name, text }) => `  ${name.padEnd(width)}  ${text}`),
    ]),
    '',
  ].join('\n');
}
