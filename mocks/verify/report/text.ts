import { stringifyJson } from '../../../src/contract/json.js';
import type { AssumptionFinding, Finding, VerifyReport } from '../types.js';
import { isSame } from './measured.js';
import { countOf } from '../../utils/options.js';

/** How a text is marked on a terminal. */
export type Paint = (style: 'bold' | 'dim' | 'red' | 'cyan', text: string) => string;

/** The signs in front of the lines of a report. */
const signs = {
  holds: '✓',
  fails: '✗',
  measured: '=',
  undecided: '?',
  beyond: '!',
  'not-asked': '-',
} as const;

/** So many differences are listed. */
const mostDifferences = 12;

/** A report for people. */
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
  const count = (verdict: Finding['verdict']) =>
    all.filter(([, finding]) => finding.verdict === verdict).length;
  const failing = count('fails');
  const head = [
    `${count('holds')} hold`,
    failing > 0 ? paint('red', `${failing} FAIL`) : '0 fail',
    `${count('undecided')} undecided`,
    `${count('not-asked')} not asked`,
  ].join('   ');
  const shown = all.filter(([, { verdict }]) => verdict === 'fails' || verdict === 'undecided');
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  const legend = shown.length > 0 ? '   (✗ fails, ? undecided)' : '';
  return [
    `${paint('bold', 'Statements of the interface')}   ${head}${legend}`,
    ...shown.flatMap(([name, finding]) => {
      const line = `  ${signs[finding.verdict]} ${name.padEnd(width)}  ${whyOf(finding)}`;
      if (finding.verdict !== 'fails') return [line];
      const evidence = finding.evidence
        .slice(0, 4)
        .map((one) => `      ${paint('dim', visible(one))}`);
      return [
        paint('red', line),
        `      ${finding.title}  (interface: "${finding.section}")`,
        ...evidence,
      ];
    }),
    ...(isReached(statements) ? skipped(all) : []),
  ];
}

/** Without a list of pets nothing else can be judged, and the reason is in the last line. */
const isReached = ({ reach }: VerifyReport['statements']) => reach?.verdict === 'holds';

function assumptionLines({ statements, assumptions }: VerifyReport, paint: Paint): string[] {
  if (!isReached(statements)) return ['None of the assumptions of the mock was measured.'];
  const all = Object.entries(assumptions);
  const shown = all.filter(([, { verdict }]) => verdict !== 'not-asked');
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  return [
    `${paint('bold', 'Where the interface is silent')}   (= measured, ? undecided, ! the mock has no such value)`,
    ...shown.map(([name, finding]) => {
      const line = `  ${signs[finding.verdict]} ${name.padEnd(width)}  `;
      if (finding.verdict !== 'measured') return line + whyOf(finding);
      const same = isSame(finding.value, finding.default);
      const value = short(finding.value);
      const sure = finding.range === undefined ? finding.sure : `${finding.sure}: ${finding.range}`;
      return (
        line +
        (same
          ? `${value}  ${paint('dim', `${sure}, as the mock by default`)}`
          : paint('cyan', `${value}  ${sure}; the mock by default: ${defaultOf(finding)}`))
      );
    }),
    ...skipped(all),
  ];
}

function defaultOf({ default: value, ...finding }: AssumptionFinding): string {
  if (finding.verdict !== 'measured' || typeof finding.value !== 'object' || finding.value === null)
    return short(value);
  // Of an object only what differs is worth a line.
  const measured = finding.value as Record<string, unknown>;
  const before = (typeof value === 'object' && value !== null ? value : {}) as typeof measured;
  const other = Object.keys(measured).filter(
    (name) => name in before && !isSame(measured[name], before[name]),
  );
  return other.length === 0
    ? short(value)
    : short(Object.fromEntries(other.map((name) => [name, before[name]])));
}

/** What was not asked, by reason. */
function skipped(all: readonly (readonly [string, Finding])[]): string[] {
  const reasons = new Map<string, string[]>();
  for (const [name, finding] of all)
    if (finding.verdict === 'not-asked')
      reasons.set(finding.why, [...(reasons.get(finding.why) ?? []), name]);
  return [...reasons].map(
    ([why, names]) =>
      `  ${signs['not-asked']} ${names.length} not asked (${why}): ${names.join(', ')}`,
  );
}

function driftLines({ drift, checked }: VerifyReport, paint: Paint): string[] {
  if (!checked) return [];
  const { values, compared, notAsked } = checked;
  const unsure = values - compared - notAsked;
  const head = [
    `${drift.length === 0 ? 'no drift' : `${drift.length} DRIFT`}: ${compared} of ${countOf(values, 'value')} compared`,
    ...(notAsked > 0 ? [`${notAsked} not asked`] : []),
    ...(unsure > 0 ? [`${unsure} not sure enough, then or now`] : []),
  ].join(', ');
  return [
    '',
    `${paint('bold', 'Drift since the recorded run')}   ${head}`,
    ...drift.map(({ assumption, was, is }) =>
      paint('red', `  ✗ ${assumption}  was ${short(was)}, is ${short(is)}`),
    ),
  ];
}

function differenceLines({ differences, compared, statements }: VerifyReport): string[] {
  if (differences === undefined)
    return isReached(statements)
      ? [
          '',
          'Not compared with the mock: without the values that --only left out, its responses differ.',
        ]
      : [];
  if (differences.length === 0)
    return [
      '',
      `The mock with the measured values gives the same ${countOf(compared, 'response')}.`,
    ];
  const more = differences.length - mostDifferences;
  return [
    '',
    `The mock with the measured values gives ${compared - differences.length} of ${countOf(compared, 'response')} as the service did. These differ:`,
    ...differences
      .slice(0, mostDifferences)
      .map(({ request, service, mock }) => visible(`  ${request}: ${service}; the mock: ${mock}`)),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}

function endLines(report: VerifyReport, paint: Paint): string[] {
  const { requests, rateLimited, duration, petsCreated, stopped, exitCode } = report;
  const pets =
    petsCreated.length === 0
      ? 'no pets created'
      : `${countOf(petsCreated.length, 'pet')} created (${visible(petsCreated.join(', '))}), which stay: the interface has no DELETE`;
  const end = {
    0: 'Every statement that could be judged holds.',
    1: report.drift.length > 0 ? 'There is drift, or a statement fails.' : 'A statement fails.',
    3: `Inconclusive: ${visible(whyInconclusive(report))}.`,
  }[exitCode];
  return [
    ...(stopped === undefined ? [] : [paint('red', visible(`Stopped: ${stopped}.`))]),
    `${countOf(requests, 'request')} in ${Math.round(duration / 1_000)} s, ${rateLimited === 0 ? 'none' : rateLimited} answered 429, ${pets}.`,
    `${end} Exit ${exitCode}.`,
  ];
}

/** Why no statement could be judged, or not all of them. */
function whyInconclusive({ stopped, statements }: VerifyReport): string {
  const { reach } = statements;
  if (stopped !== undefined) return stopped;
  return reach && reach.verdict !== 'holds' ? reasonOf(reach) : 'no statement could be judged';
}

function whyOf(finding: Finding): string {
  return visible(reasonOf(finding));
}

function reasonOf(finding: Finding): string {
  switch (finding.verdict) {
    case 'fails':
    case 'not-asked':
      return finding.why;
    case 'undecided':
      return finding.among
        ? `${finding.why} (${finding.among.map(short).join(' or ')})`
        : finding.why;
    case 'beyond':
      return `${finding.seen}${finding.nearest === undefined ? '' : `; nearest: ${short(finding.nearest)}`}`;
    case 'measured':
      return short(finding.value);
    case 'holds':
      return '';
  }
}

function short(value: unknown): string {
  const text = typeof value === 'string' ? value : stringifyJson(value);
  return visible(text.length > 200 ? `${text.slice(0, 200)} …` : text);
}

/** A text of a service without what could steer a terminal. */
function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?');
}
