// Writes repository, homepage and bugs into package.json, from the repository that the workflow runs in. They are not in
// the sources: a fork publishes under its own name. Links of the documents to files that the package does not hold (examples,
// pictures) become links to the repository, so that they work on the registry's page and in the tarball.
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

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

const packed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
  encoding: 'utf8',
});
const held = JSON.parse(packed)[0].files.map(({ path }) => path);
const isHeld = (path) => held.some((file) => file === path || file.startsWith(`${path}/`));
let links = 0;
for (const page of ['README.md', ...globSync('docs/*.md')]) {
  const text = readFileSync(page, 'utf8');
  const absolute = text.replaceAll(
    /(!?)(\[[^\]]*\])\((?!https?:|#)([^)#\s]+)(#[^)\s]*)?\)/g,
    (whole, image, label, link, anchor = '') => {
      const path = normalize(join(dirname(page), link)).replace(/\/$/, '');
      if (isHeld(path)) return whole;
      links += 1;
      return `${image}${label}(${url}/${image ? 'raw' : 'blob'}/HEAD/${path}${anchor})`;
    },
  );
  writeFileSync(page, absolute);
}
console.log(`repository: ${url}; ${links} links of the documents lead to it`);
