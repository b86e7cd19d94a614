// @ts-nocheck
// Fails when a lock file lacks an optional platform package: `npm ci` would refuse such a lock on another machine.
import { readFileSync } from 'node:fs';

/** Looks for `name` where Node would: in the package's own node_modules, then in each parent's. */
function locked(packages, path, name) {
  for (let at = path; ; at = at.slice(0, Math.max(0, at.lastIndexOf('node_modules/') - 1))) {
    if (packages[`${at ? `${at}/` : ''}node_modules/${name}`]) return true;
    if (at === '') return false;
  }
}

function missingIn(lock) {
  const { packages } = JSON.parse(readFileSync(lock, 'utf8'));
  return Object.entries(packages).flatMap(([path, entry]) =>
    Object.entries(entry.optionalDependencies ?? {})
      .filter(([name]) => !locked(packages, path, name))
      .map(
        ([name, version]) =>
          `${lock}: ${path || '(root)'} ${entry.version} needs ${name}@${version}`,
      ),
  );
}

const missing = ['package-lock.json', 'tools/package-lock.json'].flatMap(missingIn);
for (const line of missing) console.error(`missing from the lock: ${line}`);
console.log(`lockcheck: ${missing.length} optional platform packages missing`);
process.exitCode = missing.length > 0 ? 1 : 0;
