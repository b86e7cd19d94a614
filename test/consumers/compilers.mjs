// TypeScript's majors in each module mode, declarations of the package included (skipLibCheck: false).
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pinned } from '../../tools/install.mjs';
import { project, runIn } from '../packed/project.mjs';
import { checkDefinitions } from './definitions.mjs';

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
const onServer = (module) => ({
  options: { ...server, module },
  files: both,
  what: 'ES modules and CommonJS',
});

/** On a server with Node's types and no DOM; in a page with the DOM and no types of Node. */
const modes = {
  nodenext: onServer('nodenext'),
  node16: onServer('node16'),
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

async function check(app, tools, { options, files }) {
  const source = `test/consumers/projects/${app}`;
  const folder = await project(source, '@types/node', 'undici-types', ...tools);
  for (const file of both)
    if (files.includes(file)) copyFileSync(join(folder, 'app.ts'), join(folder, file));
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...strict, ...options }, files }),
  );
  await runIn(folder, 'typescript/bin/tsc', ['-p', folder]);
}

const where = (typescript, mode) => `TypeScript ${pinned(typescript)}, \`${mode}\``;

export const steps = [
  // The oldest and the newest in every mode; the one between them resolves modules as the oldest does.
  ...Object.entries({
    typescript5: modes,
    typescript: { nodenext: modes.nodenext },
    typescript7: modes,
  }).flatMap(([typescript, some]) =>
    Object.entries(some).map(([mode, how]) => ({
      name: `${typescript} ${mode}`,
      where: where(typescript, mode),
      what: `types of client, contract, mocks and port: ${how.what}`,
      work: () => check('types', [`${typescript} as typescript`], how),
    })),
  ),
  {
    name: 'definitions',
    where: `TypeScript ${pinned('typescript')}, in an editor`,
    what: '"Go to definition" of client, errors and contract leads to their TypeScript sources',
    work: checkDefinitions,
  },
  // With the fastest alone: msw's own declarations take the others over 10 s a time.
  ...['msw2', 'msw'].map((msw) => ({
    name: `typescript7 ${msw}`,
    where: where('typescript7', 'nodenext'),
    what: `types of the entries over msw ${pinned(msw)}: ES modules, and CommonJS but for \`./mocks/browser\``,
    work: () => check('types-msw', ['typescript7 as typescript', `${msw} as msw`], overMsw),
  })),
];
