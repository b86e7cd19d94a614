// Fails when package-lock.json lacks an optional platform package: `npm ci` would refuse such a lock on another machine.
import { readFileSync } from 'node:fs';

const { packages } = JSON.parse(readFileSync(process.argv[2] ?? 'package-lock.json', 'utf8'));

/** Looks for `name` where Node would: in the package's own node_modules, then in each parent's. */
function locked(path, name) {
  for (let at = path; ; at = at.slice(0, Math.max(0, at.lastIndexOf('node_modules/') - 1))) {
    if (packages[`${at ? `${at}/` : ''}node_modules/${name}`]) return true;
    if (at === '') return false;
  }
}

const missing = Object.entries(packages).flatMap(([path, entry]) =>
  Object.entries(entry.optionalDependencies ?? {})
    .filter(([name]) => !locked(path, name))
    .map(([name, version]) => `${path || '(root)'} ${entry.version} needs ${name}@${version}`),
);
for (const line of missing) console.error(`missing from the lock: ${line}`);
console.log(`lockcheck: ${missing.length} optional platform packages missing`);
process.exitCode = missing.length > 0 ? 1 : 0;
