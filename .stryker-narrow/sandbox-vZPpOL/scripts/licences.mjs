// @ts-nocheck
// Holds THIRD-PARTY-LICENSES.md to what the build has bundled, by the metafiles of the build; `--write` writes it.
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { sources } from './dashboard.mjs';

process.chdir(new URL('..', import.meta.url).pathname);
const page = 'THIRD-PARTY-LICENSES.md';

const built = globSync('dist/**/metafile-*.json').flatMap((file) =>
  Object.values(JSON.parse(readFileSync(file, 'utf8')).outputs).flatMap(({ inputs }) =>
    Object.keys(inputs),
  ),
);
const names = new Set(
  [...built, ...sources]
    .map((source) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1])
    .filter(Boolean),
);

function section(name) {
  const { version, license } = JSON.parse(
    readFileSync(`node_modules/${name}/package.json`, 'utf8'),
  );
  const [file] = globSync(`node_modules/${name}/{licen[cs]e,LICEN[CS]E}*`);
  if (!file) throw new Error(`${name} is bundled, but has no licence file`);
  return `## ${name} ${version} (${license})\n\n\`\`\`text\n${readFileSync(file, 'utf8').trim()}\n\`\`\`\n`;
}

const head = `# Software of others in this package

What is listed here is bundled into the files of \`dist/\`: ky into the CommonJS build, and the parts of zod
that the client uses, and preact and htm into the page of the mock. Everything else is a dependency, installed with its own licence.
`;
const text = [head, ...[...names].sort().map(section)].join('\n');

if (built.length === 0) {
  console.error('licences: nothing bundled was found in dist/. Run: npm run build');
  process.exitCode = 1;
} else if (process.argv.includes('--write')) writeFileSync(page, text);
else if (!existsSync(page) || readFileSync(page, 'utf8') !== text) {
  console.error(
    `${page} does not name what is bundled (${[...names].join(', ')}). Run: node scripts/licences.mjs --write`,
  );
  process.exitCode = 1;
}
