import { stringifyJson } from '../../../src/contract/json.js';
import type { Finding, VerifyReport } from '../types.js';

/** A report as JUnit XML, which CI systems show: a statement or an assumption is a test, what was not asked is skipped. */
export function reportJunit(report: VerifyReport): string {
  const drifted = new Map(report.drift.map((one) => [one.assumption, one]));
  const statements = Object.entries(report.statements).map(([name, finding]) =>
    testCase('statements', name, finding, undefined),
  );
  const assumptions = Object.entries(report.assumptions).map(([name, finding]) => {
    const drift = drifted.get(name);
    const was = drift && `was ${stringifyJson(drift.was)}, is ${stringifyJson(drift.is)}`;
    return testCase('assumptions', name, finding, was);
  });
  const run =
    report.exitCode === 3
      ? [
          `    <testcase classname="run" name="conclusive"><failure message="${escape(report.stopped ?? 'no statement could be judged')}"/></testcase>`,
        ]
      : [];
  const all = [...statements, ...assumptions, ...run];
  const count = (part: string) => all.filter((one) => one.includes(part)).length;
  const suite = `tests="${all.length}" failures="${count('<failure')}" skipped="${count('<skipped')}" time="${(report.duration / 1_000).toFixed(3)}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${suite}>`,
    `  <testsuite name="${escape(`petstore-mock verify ${report.target}`)}" timestamp="${report.measuredAt}" ${suite}>`,
    ...all,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function testCase(
  suite: string,
  name: string,
  finding: Finding,
  drift: string | undefined,
): string {
  const open = `    <testcase classname="${suite}" name="${escape(`${name}: ${finding.title}`)}"`;
  const evidence = escape(finding.evidence.join('\n'));
  if (drift !== undefined)
    return `${open}><failure message="${escape(`drift: ${drift}`)}">${evidence}</failure></testcase>`;
  switch (finding.verdict) {
    case 'fails':
      return `${open}><failure message="${escape(finding.why)}">${evidence}</failure></testcase>`;
    case 'undecided':
    case 'not-asked':
      return `${open}><skipped message="${escape(finding.why)}"/></testcase>`;
    case 'beyond':
      return `${open}><system-out>${escape(`no value of the mock: ${finding.seen}`)}</system-out></testcase>`;
    case 'measured':
      return `${open}><system-out>${escape(`${stringifyJson(finding.value)} (${finding.sure})`)}</system-out></testcase>`;
    case 'holds':
      return `${open}/>`;
  }
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

function escape(text: string): string {
  // XML has no form for control characters, nor for half a surrogate pair.
  return text
    .toWellFormed()
    .replace(/(?![\t\n\r])\p{Cc}|[\ufffe\uffff]/gu, '?')
    .replace(/[&<>"']/g, (sign) => entities[sign]!);
}
