// Writes repository, homepage and bugs into package.json, from the repository that the workflow runs in. They are not in
// the sources: a fork publishes under its own name, and nobody has to remember to change them.
import { readFileSync, writeFileSync } from 'node:fs';

const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name } = process.env;
if (!server || !/^[\w.-]+\/[\w.-]+$/.test(name ?? '')) {
  console.error(
    'GITHUB_SERVER_URL and GITHUB_REPOSITORY must name the repository: run this in the release workflow.',
  );
  process.exit(1);
}
const file = new URL('../package.json', import.meta.url);
const manifest = JSON.parse(readFileSync(file, 'utf8'));
const url = `${server}/${name}`;
const { name: packageName, version, description, keywords, ...rest } = manifest;
const filled = {
  name: packageName,
  version,
  description,
  keywords,
  homepage: `${url}#readme`,
  bugs: { url: `${url}/issues` },
  repository: { type: 'git', url: `git+${url}.git` },
  ...rest,
};
writeFileSync(file, `${JSON.stringify(filled, null, 2)}\n`);
console.log(`repository: ${url}`);
