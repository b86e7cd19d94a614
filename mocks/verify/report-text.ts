import { stringifyJson } from '../../src/contract/json.js';
import { countOf } from '../utils/options.js';
import { isSame } from './measured-file.js';
import type { AssumptionFinding, VerifyReport } from './types.js';

/** How a text is marked on a terminal. */
export type Paint = (style: 'bold' | 'dim' | 'red' | 'cyan', text: string) => string;

/** The report as text. The last line names the assumptions whose default differs from the service. */
export function reportText(report: VerifyReport, paint: Paint = (_style, text) => text): string {
  const lines = [
    `${paint('bold', 'petstore-mock verify')}  ${report.target}`,
    '',
    ...statementLines(report, paint),
    '',
    ...assumptionLines(report, paint),
    ...listed(
      report.drift?.map(({ assumption, was, is }) =>
        paint('red', `  ✗ ${assumption}  was ${short(was)}, is ${short(is)}`),
      ),
      'Drift since the recorded run',
      'No measured value differs from the recorded run.',
    ),
    ...listed(
      report.differences?.map(({ request, service, mock }) =>
        visible(`  ${request}: ${service}; the mock: ${mock}`),
      ),
      'The mock with the measured values gives other responses:',
      'The mock with the measured values gives the same responses.',
    ),
    '',
    ...endLines(report),
  ];
  return `${lines.join('\n')}\n`;
}

type Named<Finding> = readonly (readonly [string, Finding])[];

/** The findings with one verdict. */
const those = <Finding extends { verdict: string }>(
  all: Readonly<Record<string, Finding>>,
  verdict: Finding['verdict'],
): Named<Finding> => Object.entries(all).filter(([, finding]) => finding.verdict === verdict);

function statementLines({ statements }: VerifyReport, paint: Paint): string[] {
  const failing = those(statements, 'fails');
  const notJudged = those(statements, 'not judged');
  const counts = `${those(statements, 'holds').length} hold   ${failing.length} ${failing.length === 1 ? 'fails' : 'fail'}   ${notJudged.length} not judged`;
  return [
    `${paint('bold', 'Statements of the interface')}   ${counts}`,
    ...failing.flatMap(([name, { why, title, section }]) => [
      paint('red', `  ✗ ${name}  ${visible(why!)}`),
      `      ${title}  (interface: "${section}")`,
    ]),
    ...(statements['reach']!.verdict === 'holds' ? byReason(notJudged, 'not judged') : []),
  ];
}

function assumptionLines({ assumptions }: VerifyReport, paint: Paint): string[] {
  const shown = Object.entries(assumptions).filter(([, { verdict }]) => verdict !== 'not asked');
  if (shown.length === 0) return ['None of the assumptions of the mock was measured.'];
  const width = Math.max(...shown.map(([name]) => name.length));
  return [
    `${paint('bold', 'Where the interface is silent')}   (= measured, ? open)`,
    ...shown.map(([name, finding]) => {
      const { verdict, why = '', among = [], value, default: standard } = finding;
      const values = among.length === 0 ? '' : `: ${among.map(short).join(' or ')}`;
      if (verdict === 'open') return `  ? ${name.padEnd(width)}  ${visible(why)}${values}`;
      const said = isOther(finding)
        ? paint('cyan', `${short(value)}; by default ${short(standard)}`)
        : paint('dim', short(value));
      return `  = ${name.padEnd(width)}  ${said}`;
    }),
    ...byReason(those(assumptions, 'not asked'), 'not asked'),
  ];
}

/** Whether a value was measured that is not the default. */
const isOther = ({ verdict, value, default: standard }: AssumptionFinding) =>
  verdict === 'measured' && !isSame(value, standard);

/** What has the same reason is one line. */
function byReason(all: Named<{ why?: string }>, word: string): string[] {
  return [...Map.groupBy(all, ([, { why = '' }]) => why)].map(
    ([why, own]) =>
      `  - ${own.length} ${word} (${visible(why)}): ${own.map(([name]) => name).join(', ')}`,
  );
}

/** Lines under their title, or that there are none; nothing where it was not looked at. */
function listed(lines: readonly string[] | undefined, title: string, none: string): string[] {
  if (!lines) return [];
  return lines.length === 0 ? ['', none] : ['', title, ...lines];
}

function endLines(report: VerifyReport): string[] {
  const { requests, rateLimited, duration, petsCreated, stopped, exitCode, statements } = report;
  const pets =
    petsCreated.length === 0
      ? 'no pets created'
      : `${countOf(petsCreated.length, 'pet')} created (${petsCreated.join(', ')}), which stay: the run removes none`;
  const end = {
    0: 'Every statement that was judged holds',
    1: 'A statement fails, or a value has changed',
    2: `The service could not be asked: ${stopped ?? statements['reach']?.why ?? ''}`,
  }[exitCode];
  const others = Object.entries(report.assumptions).filter(([, finding]) => isOther(finding));
  const names = others.map(([name]) => name).join(', ') || 'nothing that was measured';
  const differs = `By default the mock differs here in: ${names}`;
  return [
    ...(stopped === undefined ? [] : [`Stopped: ${stopped}.`]),
    `${countOf(requests, 'request')} in ${Math.round(duration / 1_000)} s, ${rateLimited === 0 ? 'none' : rateLimited} answered 429, ${pets}.`,
    `${end}. Exit ${exitCode}.`,
    ...(exitCode === 2 && others.length === 0 ? [] : [differs]),
  ].map(visible);
}

function short(value: unknown): string {
  const text = typeof value === 'string' ? value : stringifyJson(value);
  return visible(text.length > 200 ? `${text.slice(0, 200)} …` : text);
}

/** A text of a service without what could steer a terminal. */
function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?');
}
