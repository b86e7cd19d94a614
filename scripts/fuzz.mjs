// Runs the fuzz tests for long, one file after another: each test file with "fuzz" in its name, and each other test that
// reads FUZZ_RUNS. FUZZ_RUNS sets the number of runs (2,000 by default), FUZZ_SEED another seed. Paths as arguments run only
// these files; `--list` prints the files.
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

process.chdir(new URL('..', import.meta.url).pathname);
const isFuzz = (path) =>
  basename(path).includes('fuzz') || readFileSync(path, 'utf8').includes("env['FUZZ_RUNS']");
const all = globSync('test/**/*.test.ts').filter(isFuzz).sort();
const chosen = process.argv.slice(2).filter((argument) => argument !== '--list');
const unknown = chosen.filter((path) => !all.includes(path));

if (process.argv.includes('--list')) console.log(all.join('\n'));
else if (unknown.length > 0) {
  console.error(`no fuzz test: ${unknown.join(', ')}. There are:\n${all.join('\n')}`);
  process.exitCode = 1;
} else {
  const failed = (chosen.length > 0 ? chosen : all).filter((path) => !passes(path));
  if (failed.length > 0) {
    console.error(`failed: ${failed.join(', ')}`);
    process.exitCode = 1;
  }
}

function passes(path) {
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'unit', path];
  const { status } = spawnSync(process.execPath, [...vitest, '--testTimeout', '3600000'], {
    stdio: 'inherit',
    env: { ...process.env, FUZZ_RUNS: process.env['FUZZ_RUNS'] ?? '2000' },
  });
  return status === 0;
}
