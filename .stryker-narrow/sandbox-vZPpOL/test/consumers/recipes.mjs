// @ts-nocheck
// The recipes of docs/frameworks.md that need tools which the package itself does not install.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../packed/free-port.mjs';
import { pinned } from '../../tools/install.mjs';
import { project, runIn } from '../packed/project.mjs';
import { run } from '../packed/run.mjs';
import { chromiumOptions } from '../support/chromium.ts';

const page = readFileSync(new URL('../../docs/frameworks.md', import.meta.url), 'utf8');

/** The blocks of code below a heading. */
function blocksOf(heading) {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`));
  return [...section.matchAll(/^```\w+[^\n]*\n(.*?)^```$/gms)].map(([, code]) => code);
}

const react = ['react', 'react-dom', '@testing-library/react'];

async function inVitest(environment) {
  const tools = ['vitest', environment, ...react];
  const folder = await project('test/consumers/projects/vitest-dom', ...tools);
  const [test, component] = blocksOf('React Testing Library with jsdom or happy-dom');
  writeFileSync(join(folder, 'pets.test.jsx'), test);
  writeFileSync(join(folder, 'PetList.jsx'), component);
  const [store, notice] = blocksOf('React: show the wait for the rate limit');
  writeFileSync(join(folder, 'wait.ts'), store);
  writeFileSync(join(folder, 'WaitNotice.jsx'), notice);
  // A bundler that ran in this process has set NODE_ENV to production.
  const env = { NODE_ENV: 'test' };
  await runIn(folder, 'vitest/vitest.mjs', ['run', '--environment', environment], env);
}

async function inJest() {
  const tools = ['jest', 'jest-environment-jsdom', 'jest-fixed-jsdom'];
  await runIn(await project('test/consumers/projects/jest-dom', ...tools), 'jest/bin/jest.js');
}

async function inPlaywright() {
  const folder = await project('test/consumers/projects/playwright', '@playwright/test');
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
  const env = { MOCK: `http://127.0.0.1:${mockPort}`, PORT: appPort };
  const args = ['test', '--reporter', 'line'];
  const { stdout } = await runIn(folder, '@playwright/test/cli.js', args, env);
  if (!stdout.includes('6 passed')) throw new Error(`not all ran: ${stdout}`);
}

async function inNest() {
  const tools = ['@nestjs/common', '@nestjs/core', 'reflect-metadata', 'rxjs'];
  const folder = await project('test/consumers/projects/nest', ...tools);
  const [recipe] = blocksOf('NestJS');
  const stub = /^const nest: NestLogger = .*$/m;
  const own = 'const nest: NestLogger = new Logger(PetStoreClient.name);';
  const code = `import { Logger } from '@nestjs/common';\n${recipe.replace(stub, own)}`;
  writeFileSync(join(folder, 'recipe.ts'), code);
  await run('node', ['main.mjs'], { cwd: folder });
}

async function inAiSdk() {
  const folder = await project('test/consumers/projects/ai', 'ai');
  const [, code] = blocksOf("The contract's schemas in your own");
  writeFileSync(join(folder, 'tool.mjs'), code);
  await run('node', ['main.mjs'], { cwd: folder, env: { PETSTORE_API_KEY: 'mock-free' } });
}

export const steps = [
  ...['jsdom', 'happy-dom'].map((environment) => ({
    name: `vitest ${environment}`,
    where: `Vitest ${pinned('vitest')}, ${environment} ${pinned(environment)}`,
    what: `the recipes for React Testing Library ${pinned('@testing-library/react')}, and for the visible wait`,
    work: () => inVitest(environment),
  })),
  {
    name: 'jest jsdom',
    where: `Jest ${pinned('jest')}, jest-environment-jsdom`,
    what: 'an error at load that names the cure; `jest-fixed-jsdom` and `@jest-environment node` work',
    work: inJest,
  },
  {
    name: 'playwright',
    where: `Playwright ${pinned('@playwright/test')}`,
    what: 'the recipe: two workers on one port of `petstore-mock`',
    work: inPlaywright,
  },
  {
    name: 'nest',
    where: `Nest ${pinned('@nestjs/common')}`,
    what: 'the recipe: its `Logger` through the adapter',
    work: inNest,
  },
  {
    name: 'ai',
    where: `AI SDK ${pinned('ai')}`,
    what: 'the recipe: a tool made of `NewPetSchema`',
    work: inAiSdk,
  },
];
