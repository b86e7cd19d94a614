// @ts-nocheck
// Prints which tests failed, and last one line over all of vitest's JSON reports: `ci: N passed, N failed`. The argument: how many of
// the runs failed, which they also do for what is no test (an unhandled error, a type error in a source).
import { globSync, readFileSync } from 'node:fs';

const failedRuns = Number(process.argv[2] ?? 0);
const reports = globSync('reports/vitest-*.json').map((file) =>
  JSON.parse(readFileSync(file, 'utf8')),
);
// At the end, where a log that is cut still has them.
for (const suite of reports.flatMap((report) => report.testResults)) {
  const failed = suite.assertionResults.filter((test) => test.status === 'failed');
  for (const { fullName, failureMessages } of failed) {
    console.log(`FAIL ${suite.name} > ${fullName}\n${failureMessages.join('\n').slice(0, 1500)}`);
  }
  if (suite.status === 'failed' && failed.length === 0) {
    console.log(`FAIL ${suite.name}\n${String(suite.message).slice(0, 1500)}`);
  }
}
const count = (name) => reports.reduce((sum, report) => sum + report[name], 0);
const failed = Math.max(count('numFailedTests'), failedRuns);
console.log(`ci: ${count('numPassedTests')} passed, ${failed} failed`);
process.exitCode = reports.length === 0 || failed > 0 ? 1 : 0;
