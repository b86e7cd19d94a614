// TypeScript's majors in each module mode, declarations of the package included (skipLibCheck: false).
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../packed/run.mjs';
import { checkDefinitions } from './definitions.mjs';
import { project } from '../packed/project.mjs';

const strict = {
  noEmit: true,
  strict: true,
  skipLibCheck: false,
  exactOptionalPropertyTypes: true,
  target: 'es2022',
};
const server = { lib: ['es2022'], types: ['node'] };
const page = { lib: ['es2022', 'dom', 'dom.iterable'], types: [] };
const both = ['app.mts', 'app.cts'];

/** On a server with Node's types and no DOM; in a page with the DOM and no types of Node. */
const modes = {
  nodenext: {
    options: { ...server, module: 'nodenext' },
    files: both,
    what: 'ES modules and CommonJS',
  },
  node16: {
    options: { ...server, module: 'node16' },
    files: both,
    what: 'ES modules and CommonJS',
  },
  bundler: {
    options: { ...page, module: 'esnext', moduleResolution: 'bundler' },
    files: ['app.ts'],
    what: 'in a page',
  },
};

/** The declarations of msw itself need the DOM's and Node's. A page is no CommonJS: msw 2 has no `msw/browser` for it. */
const overMsw = {
  options: { ...page, types: ['node'], module: 'nodenext' },
  files: [...both, 'page.mts'],
};

async function check(app, tarball, tools, { options, files }) {
  const folder = await project(`test/consumers/projects/${app}`, tarball, {
    '@types/node': '@types/node',
    'undici-types': 'undici-types',
    ...tools,
  });
  for (const file of both)
    if (files.includes(file)) copyFileSync(join(folder, 'app.ts'), join(folder, file));
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...strict, ...options }, files }),
  );
  await run('node', [join(folder, 'node_modules/typescript/bin/tsc'), '-p', folder], {
    cwd: folder,
  });
}

export function stepsOf(tarball, version) {
  const where = (typescript, mode) => `TypeScript ${version(typescript)}, \`${mode}\``;
  return [
    ...['typescript5', 'typescript', 'typescript7'].flatMap((typescript) =>
      Object.entries(modes).map(([mode, how]) => ({
        name: `${typescript} ${mode}`,
        where: where(typescript, mode),
        what: `types of client, contract, mocks and port: ${how.what}`,
        work: () => check('types', tarball, { typescript }, how),
      })),
    ),
    {
      name: 'definitions',
      where: `TypeScript ${version('typescript')}, in an editor`,
      what: '"Go to definition" of client, errors and contract leads to their TypeScript sources',
      work: () => checkDefinitions(tarball, 'typescript'),
    },
    // With the fastest alone: msw's own declarations take the others over 10 s a time.
    ...['msw2', 'msw'].map((msw) => ({
      name: `typescript7 ${msw}`,
      where: where('typescript7', 'nodenext'),
      what: `types of the entries over msw ${version(msw)}: ES modules, and CommonJS but for \`./mocks/browser\``,
      work: () => check('types-msw', tarball, { typescript: 'typescript7', msw }, overMsw),
    })),
  ];
}
