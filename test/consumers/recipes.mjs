// The recipes of docs/frameworks.md that need tools which the package itself does not install.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../packed/free-port.mjs';
import { run } from '../packed/run.mjs';
import { project } from '../packed/project.mjs';
import { chromiumOptions } from '../support/chromium.ts';

const page = readFileSync(new URL('../../docs/frameworks.md', import.meta.url), 'utf8');

/** The blocks of code below a heading. */
function blocksOf(heading) {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`));
  return [...section.matchAll(/^```\w+[^\n]*\n(.*?)^```$/gms)].map(([, code]) => code);
}

const react = ['react', 'react-dom', '@testing-library/react'];
const asTools = (names) => Object.fromEntries(names.map((name) => [name, name]));

async function inVitest(tarball, environment) {
  const tools = asTools(['vitest', environment, ...react]);
  const folder = await project('test/consumers/projects/vitest-dom', tarball, tools);
  const [test, component] = blocksOf('React Testing Library with jsdom or happy-dom');
  writeFileSync(join(folder, 'pets.test.jsx'), test);
  writeFileSync(join(folder, 'PetList.jsx'), component);
  const [store, notice] = blocksOf('React: show the wait for the rate limit');
  writeFileSync(join(folder, 'wait.ts'), store);
  writeFileSync(join(folder, 'WaitNotice.jsx'), notice);
  const args = ['run', '--environment', environment];
  // A bundler that ran in this process has set NODE_ENV to production.
  const env = { NODE_ENV: 'test' };
  await run('node', [join(folder, 'node_modules/vitest/vitest.mjs'), ...args], {
    cwd: folder,
    env,
  });
}

async function inJest(tarball) {
  const tools = asTools(['jest', 'jest-environment-jsdom', 'jest-fixed-jsdom']);
  const folder = await project('test/consumers/projects/jest-dom', tarball, tools);
  await run('node', [join(folder, 'node_modules/jest/bin/jest.js')], { cwd: folder });
}

async function inPlaywright(tarball) {
  const folder = await project(
    'test/consumers/projects/playwright',
    tarball,
    asTools(['@playwright/test']),
  );
  const [mockPort, appPort] = [await freePort(), await freePort()].map(String);
  const [config, spec] = blocksOf('Playwright with parallel workers').map((code) =>
    code
      .replaceAll('4010', mockPort)
      .replaceAll('3000', appPort)
      .replaceAll('npx petstore-mock', 'node node_modules/petstore-client/dist/mocks/cli.js'),
  );
  const launchOptions = JSON.stringify(chromiumOptions);
  writeFileSync(
    join(folder, 'playwright.config.ts'),
    config.replace('use: {', `workers: 2, repeatEach: 3, use: { launchOptions: ${launchOptions},`),
  );
  writeFileSync(join(folder, 'pets.spec.ts'), spec);
  const { stdout } = await run(
    'node',
    [join(folder, 'node_modules/@playwright/test/cli.js'), 'test', '--reporter', 'line'],
    { cwd: folder, env: { MOCK: `http://127.0.0.1:${mockPort}`, PORT: appPort, CI: '1' } },
  );
  if (!stdout.includes('6 passed')) throw new Error(`not all ran: ${stdout}`);
}

async function inNest(tarball) {
  const tools = asTools(['@nestjs/common', '@nestjs/core', 'reflect-metadata', 'rxjs']);
  const folder = await project('test/consumers/projects/nest', tarball, tools);
  const [recipe] = blocksOf('NestJS');
  const stub = /^const nest: NestLogger = .*$/m;
  const own = 'const nest: NestLogger = new Logger(PetStoreClient.name);';
  const code = `import { Logger } from '@nestjs/common';\n${recipe.replace(stub, own)}`;
  writeFileSync(join(folder, 'recipe.ts'), code);
  await run('node', ['main.mjs'], { cwd: folder });
}

async function inAiSdk(tarball) {
  const folder = await project('test/consumers/projects/ai', tarball, asTools(['ai']));
  const [, code] = blocksOf("The contract's schemas in your own");
  writeFileSync(join(folder, 'tool.mjs'), code);
  await run('node', ['main.mjs'], { cwd: folder, env: { PETSTORE_API_KEY: 'mock-free' } });
}

export function stepsOf(tarball, version) {
  return [
    ...['jsdom', 'happy-dom'].map((environment) => ({
      name: `vitest ${environment}`,
      where: `Vitest ${version('vitest')}, ${environment} ${version(environment)}`,
      what: `the recipes for React Testing Library ${version('@testing-library/react')}, and for the visible wait`,
      work: () => inVitest(tarball, environment),
    })),
    {
      name: 'jest jsdom',
      where: `Jest ${version('jest')}, jest-environment-jsdom`,
      what: 'an error at load that names the cure; `jest-fixed-jsdom` and `@jest-environment node` work',
      work: () => inJest(tarball),
    },
    {
      name: 'playwright',
      where: `Playwright ${version('@playwright/test')}`,
      what: 'the recipe: two workers on one port of `petstore-mock`',
      work: () => inPlaywright(tarball),
    },
    {
      name: 'nest',
      where: `Nest ${version('@nestjs/common')}`,
      what: 'the recipe: its `Logger` through the adapter',
      work: () => inNest(tarball),
    },
    {
      name: 'ai',
      where: `AI SDK ${version('ai')}`,
      what: 'the recipe: a tool made of `NewPetSchema`',
      work: () => inAiSdk(tarball),
    },
  ];
}
