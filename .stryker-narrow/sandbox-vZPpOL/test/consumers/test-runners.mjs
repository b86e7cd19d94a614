// @ts-nocheck
// Jest and Vitest as they come, without flags or configuration.
import assert from 'node:assert/strict';
import { pinned } from '../../tools/install.mjs';
import { project, runIn } from '../packed/project.mjs';

const majors = ['msw2', 'msw'];
/** msw 3 itself, and a dependency of msw 2, are ES modules, which Jest cannot `require` without Node's vm modules. */
const fails = {
  because: /Must use import to load ES Module: \S*\/(msw|rettime)\//,
  reason: 'msw is ES modules, which stock Jest cannot load',
};

const jest = async (source, ...tools) =>
  runIn(await project(source, 'jest', ...tools), 'jest/bin/jest.js');

async function vitest(msw) {
  const folder = await project('test/consumers/projects/vitest', 'vitest', `${msw} as msw`);
  await runIn(folder, 'vitest/vitest.mjs', ['run']);
}

const stockJest = `Jest ${pinned('jest')}, no flags`;

export const steps = [
  {
    name: 'jest',
    where: stockJest,
    what: '`require` of client and mocks; `service.fetch`',
    async work() {
      const { stderr } = await jest('examples/jest');
      assert.match(stderr, /Tests:\s+4 passed, 4 total/);
    },
  },
  ...majors.map((msw) => ({
    name: `jest ${msw}`,
    where: stockJest,
    what: `\`./mocks/node\` over msw ${pinned(msw)}`,
    work: () => jest('test/consumers/projects/jest-msw', `${msw} as msw`),
    fails,
  })),
  ...majors.map((msw) => ({
    name: `vitest ${msw}`,
    where: `Vitest ${pinned('vitest')}`,
    what: `\`./mocks/node\` and \`./mocks/msw\` over msw ${pinned(msw)}`,
    work: () => vitest(msw),
  })),
];
