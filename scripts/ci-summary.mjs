// Prints one line over all of vitest's JSON reports: `ci: N passed, N failed`. The argument: how many of the runs failed,
// which they also do for what is no test (an unhandled error, a type error in a source).
import { globSync, readFileSync } from 'node:fs';

const failedRuns = Number(process.argv[2] ?? 0);
const reports = globSync('reports/vitest-*.json').map((file) =>
  JSON.parse(readFileSync(file, 'utf8')),
);
const count = (name) => reports.reduce((sum, report) => sum + report[name], 0);
const failed = Math.max(count('numFailedTests'), failedRuns);
console.log(`ci: ${count('numPassedTests')} passed, ${failed} failed`);
process.exitCode = reports.length === 0 || failed > 0 ? 1 : 0;
