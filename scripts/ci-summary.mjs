// Prints one line over all of vitest's JSON reports: `ci: N passed, N failed`.
import { globSync, readFileSync } from 'node:fs';

const reports = globSync('reports/vitest-*.json').map((file) => JSON.parse(readFileSync(file, 'utf8')));
const count = (name) => reports.reduce((sum, report) => sum + report[name], 0);
const failed = count('numFailedTests');
const broken = reports.filter((report) => !report.success).length;
console.log(`ci: ${count('numPassedTests')} passed, ${failed === 0 ? broken : failed} failed`);
process.exitCode = reports.length === 0 || failed > 0 || broken > 0 ? 1 : 0;
