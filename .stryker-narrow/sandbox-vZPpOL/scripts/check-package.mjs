// @ts-nocheck
// Runs before every pack: a package whose files are missing or old must not be made. With RELEASE=1, as in the release
// workflow, it must also name the repository that it comes from.
import { existsSync, readFileSync } from 'node:fs';

process.chdir(new URL('..', import.meta.url).pathname);
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));

/** Every file that package.json promises. */
function filesOf(value) {
  if (typeof value === 'string') return value.startsWith('./') ? [value] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(filesOf) : [];
}

const promised = [
  ...filesOf(manifest.exports),
  ...Object.values(manifest.bin).map((file) => `./${file}`),
];
const missing = promised.filter((file) => !existsSync(file));
const problems = [];
if (missing.length > 0) problems.push(`missing: ${missing.join(', ')}. Run: npm run build`);
if (process.env['RELEASE'] === '1') {
  const unnamed = ['repository', 'homepage', 'bugs'].filter(
    (field) => manifest[field] === undefined,
  );
  if (unnamed.length > 0)
    problems.push(
      `package.json has no ${unnamed.join(', ')}. Run: node scripts/fill-repository.mjs`,
    );
}
for (const problem of problems) console.error(`cannot pack: ${problem}`);
if (problems.length > 0) process.exitCode = 1;
