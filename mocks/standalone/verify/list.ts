import type { CaseLevel } from '../../verify/case.js';
import { cases } from '../../verify/cases/index.js';

const prefix = 'assumption.';

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
  const rows = cases.map(({ id, title, level, why }) => ({
    name: id.startsWith(prefix) ? id.slice(prefix.length) : id,
    text: why === undefined ? title + needs[level] : `${title} (${why})`,
    isStatement: !id.startsWith(prefix),
    isAsked: level !== 'never',
  }));
  const width = Math.max(...rows.map(({ name }) => name.length));
  const block = (title: string, some: typeof rows) => [
    '',
    title,
    ...some.map(({ name, text }) => `  ${name.padEnd(width)}  ${text}`),
  ];
  const asked = rows.filter(({ isAsked }) => isAsked);
  return [
    'Names for --only. A group is what stands before the dot: --only list,auth',
    ...block(
      'Statements of the interface',
      asked.filter(({ isStatement }) => isStatement),
    ),
    ...block(
      'Assumptions: what the interface leaves open',
      asked.filter(({ isStatement }) => !isStatement),
    ),
    ...block(
      'Never asked',
      rows.filter(({ isAsked }) => !isAsked),
    ),
    '',
  ].join('\n');
}
