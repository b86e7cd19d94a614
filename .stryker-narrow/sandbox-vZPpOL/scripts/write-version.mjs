// @ts-nocheck
// Copies the version of package.json to the source, which cannot read package.json in a browser.
import { readFileSync, writeFileSync } from 'node:fs';

process.chdir(new URL('..', import.meta.url).pathname);
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const path = 'src/utils/version.ts';
const source = readFileSync(path, 'utf8');
writeFileSync(path, source.replace(/version = '.*'/, `version = '${version}'`));
