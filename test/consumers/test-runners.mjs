// Jest and Vitest as they come, without flags or configuration.
import { run } from '../packed/run.mjs';
import { project } from '../packed/project.mjs';

const majors = ['msw2', 'msw'];
/** msw 3 itself, and a dependency of msw 2, are ES modules, which Jest cannot `require` without Node's vm modules. */
const fails = {
  because: /Must use import to load ES Module: \S*\/(msw|rettime)\//,
  reason: 'msw is ES modules, which stock Jest cannot load',
};

export function stepsOf(tarball, version) {
  const start = async (source, tools, program, ...args) => {
    const folder = await project(source, tarball, tools);
    await run('node', [`${folder}/node_modules/${program}`, ...args], {
      cwd: folder,
      env: { CI: '1', NO_COLOR: '1' },
    });
  };
  const jest = `Jest ${version('jest')}, no flags`;
  const vitest = `Vitest ${version('vitest')}`;
  return [
    {
      name: 'jest',
      where: jest,
      what: '`require` of client and mocks; `service.fetch`',
      work: () => start('examples/jest', { jest: 'jest' }, 'jest/bin/jest.js'),
    },
    ...majors.map((msw) => ({
      name: `jest ${msw}`,
      where: jest,
      what: `\`./mocks/node\` over msw ${version(msw)}`,
      work: () =>
        start('test/consumers/projects/jest-msw', { jest: 'jest', msw }, 'jest/bin/jest.js'),
      fails,
    })),
    ...majors.map((msw) => ({
      name: `vitest ${msw}`,
      where: vitest,
      what: `\`./mocks/node\` and \`./mocks/msw\` over msw ${version(msw)}`,
      work: () =>
        start(
          'test/consumers/projects/vitest',
          { vitest: 'vitest', msw },
          'vitest/vitest.mjs',
          'run',
        ),
    })),
  ];
}
