import { stringifyJson } from '../../src/contract/json.js';
import { countOf } from '../utils/options.js';
import { isSame } from './measured-file.js';
import type { AssumptionFinding, VerifyReport } from './types.js';

/** How a text is marked on a terminal. */
export type Paint = (style: 'bold' | 'dim' | 'red' | 'cyan', text: string) => string;

/** A report for people. Its last line says in what the mock differs from the service by default. */
export function reportText(report: VerifyReport, paint: Paint = (_style, text) => text): string {
  const lines = [
    `${paint('bold', 'petstore-mock verify')}  ${report.target}`,
    '',
    ...statementLines(report, paint),
    '',
    ...assumptionLines(report, paint),
    ...driftLines(report, paint),
    ...differenceLines(report),
    '',
    ...endLines(report, paint),
  ];
  return `${lines.join('\n')}\n`;
}

function statementLines({ statements }: VerifyReport, paint: Paint): string[] {
  const all = Object.entries(statements);
  const of = (verdict: string) => all.filter(([, finding]) => finding.verdict === verdict);
  const failing = of('fails');
  const failed = `${failing.length} ${failing.length === 1 ? 'fails' : 'fail'}`;
  const counts = [
    `${of('holds').length} hold`,
    failing.length > 0 ? paint('red', failed) : failed,
    `${of('not judged').length} not judged`,
  ];
  return [
    `${paint('bold', 'Statements of the interface')}   ${counts.join('   ')}`,
    ...failing.flatMap(([name, { why, title, section }]) => [
      paint('red', `  ✗ ${name}  ${visible(why!)}`),
      `      ${title}  (interface: "${section}")`,
    ]),
    ...(statements['reach']!.verdict === 'holds' ? byReason(of('not judged'), 'not judged') : []),
  ];
}

function assumptionLines({ assumptions }: VerifyReport, paint: Paint): string[] {
  const all = Object.entries(assumptions);
  if (all.length === 0) return ['None of the assumptions of the mock was measured.'];
  const shown = all.filter(([, { verdict }]) => verdict !== 'not asked');
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  return [
    `${paint('bold', 'Where the interface is silent')}   (= measured, ? open)`,
    ...shown.map(([name, finding]) => {
      const line = `  ${finding.verdict === 'open' ? '?' : '='} ${name.padEnd(width)}  `;
      if (finding.verdict === 'open') return line + openText(finding);
      const value = short(finding.value);
      return isSame(finding.value, finding.default)
        ? line + paint('dim', value)
        : line + paint('cyan', `${value}; by default ${short(finding.default)}`);
    }),
    ...byReason(
      all.filter(([, { verdict }]) => verdict === 'not asked'),
      'not asked',
    ),
  ];
}

function openText({ why = '', among = [] }: AssumptionFinding): string {
  return visible(why) + (among.length === 0 ? '' : `: ${among.map(short).join(' or ')}`);
}

/** What has the same reason is one line. */
function byReason(all: readonly (readonly [string, { why?: string }])[], word: string): string[] {
  const names = new Map<string, string[]>();
  for (const [name, { why = '' }] of all) names.set(why, [...(names.get(why) ?? []), name]);
  return [...names].map(
    ([why, own]) => `  - ${own.length} ${word} (${visible(why)}): ${own.join(', ')}`,
  );
}

function driftLines({ drift }: VerifyReport, paint: Paint): string[] {
  if (!drift) return [];
  if (drift.length === 0) return ['', 'No measured value differs from the recorded run.'];
  return [
    '',
    paint('bold', 'Drift since the recorded run'),
    ...drift.map(({ assumption, was, is }) =>
      paint('red', `  ✗ ${assumption}  was ${short(was)}, is ${short(is)}`),
    ),
  ];
}

function differenceLines({ differences }: VerifyReport): string[] {
  if (!differences) return [];
  if (differences.length === 0)
    return ['', 'The mock with the measured values gives the same responses.'];
  return [
    '',
    `The mock with the measured values gives ${countOf(differences.length, 'other response')}:`,
    ...differences.map(({ request, service, mock }) =>
      visible(`  ${request}: ${service}; the mock: ${mock}`),
    ),
  ];
}

function endLines(report: VerifyReport, paint: Paint): string[] {
  const { requests, rateLimited, duration, petsCreated, stopped, exitCode, statements } = report;
  const pets =
    petsCreated.length === 0
      ? 'no pets created'
      : `${countOf(petsCreated.length, 'pet')} created (${visible(petsCreated.join(', '))}), which stay: the interface has no DELETE`;
  const end = {
    0: 'Every statement that was judged holds',
    1: 'A statement fails, or a value has changed',
    2: `The service could not be asked: ${visible(stopped ?? statements['reach']?.why ?? '')}`,
  }[exitCode];
  return [
    ...(stopped === undefined ? [] : [paint('red', visible(`Stopped: ${stopped}.`))]),
    `${countOf(requests, 'request')} in ${Math.round(duration / 1_000)} s, ${rateLimited === 0 ? 'none' : rateLimited} answered 429, ${pets}.`,
    `${end}. Exit ${exitCode}.`,
    `By default the mock differs here in: ${otherByDefault(report) || 'nothing that was measured'}`,
  ];
}

function otherByDefault({ assumptions }: VerifyReport): string {
  return Object.entries(assumptions)
    .filter(
      ([, { verdict, value, default: standard }]) =>
        verdict === 'measured' && !isSame(value, standard),
    )
    .map(([name]) => name)
    .join(', ');
}

function short(value: unknown): string {
  const text = typeof value === 'string' ? value : stringifyJson(value);
  return visible(text.length > 200 ? `${text.slice(0, 200)} …` : text);
}

/** A text of a service without what could steer a terminal. */
function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?');
}
