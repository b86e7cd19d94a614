// @ts-nocheck
// Writes repository, homepage and bugs into package.json, from the repository that the workflow runs in. They are not in
// the sources: a fork publishes under its own name.
import { readFileSync, writeFileSync } from 'node:fs';

process.chdir(new URL('..', import.meta.url).pathname);
const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name } = process.env;
if (!server || !/^[\w.-]+\/[\w.-]+$/.test(name ?? '')) {
  console.error(
    'GITHUB_SERVER_URL and GITHUB_REPOSITORY must name the repository. Run this in the release workflow.',
  );
  process.exit(1);
}
const url = `${server}/${name}`;

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const { name: packageName, version, description, keywords, ...rest } = manifest;
const filled = {
  name: packageName,
  version,
  description,
  keywords,
  ...rest,
  homepage: `${url}#readme`,
  bugs: { url: `${url}/issues` },
  repository: { type: 'git', url: `git+${url}.git` },
};
writeFileSync('package.json', `${JSON.stringify(filled, null, 2)}\n`);

console.log(`repository: ${url}`);
