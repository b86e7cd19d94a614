// Builds when dist/ is missing or older than what it is made from.
import { spawnSync } from 'node:child_process';
import { globSync, statSync } from 'node:fs';

process.chdir(new URL('..', import.meta.url).pathname);
const changed = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
const sources = globSync([
  'src/**/*.ts',
  'mocks/**/*.ts',
  'tsup.config.ts',
  'scripts/{commonjs,declarations,field-docs}.mjs',
  'scripts/entries.json',
  'package.json',
]);
// The last files that a build writes; while one is missing the build did not end.
const built = [
  'dist/index.js',
  'dist/index.cjs',
  'dist/index.d.ts',
  'dist/index.d.cts',
  'dist/mocks/verify.d.ts',
];

if (Math.max(...sources.map(changed)) > Math.min(...built.map(changed))) {
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  process.exitCode = status ?? 1;
}
