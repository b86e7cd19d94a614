// The one project that npm sets up from the tarball alone, as a user's is.
import { run } from '../packed/run.mjs';
import { copy } from './projects.mjs';

let installed;
async function inInstalled(tarball, file) {
  installed ??= (async () => {
    const folder = copy('install');
    await run(
      'npm',
      [
        'install',
        '--no-audit',
        '--no-fund',
        '--loglevel=error',
        '--prefer-offline',
        '--fetch-timeout=20000',
        tarball,
      ],
      {
        cwd: folder,
      },
    );
    return folder;
  })();
  await run('node', [file], { cwd: await installed });
}

export function stepsOf(tarball) {
  const step = (name, what, file) => ({
    name,
    where: '`npm install`, nothing else',
    what,
    work: () => inInstalled(tarball, file),
  });
  return [
    step(
      'install: ES modules',
      'ES modules: client, contract, mocks, port, `openapi.json`',
      'app.mjs',
    ),
    step('install: CommonJS', 'CommonJS: the same by `require`', 'app.cjs'),
    step(
      'install: both builds',
      'both builds in one process: `instanceof` holds, one rate limit for both',
      'both.mjs',
    ),
    step('install: petstore-mock', 'the program `petstore-mock`', 'program.mjs'),
  ];
}
