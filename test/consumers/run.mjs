// The packed package in fresh projects of every kind: `npm run test:consumers [-- jest types …] [--write]`.
import { install } from '../packed/install.mjs';
import { pack } from '../packed/pack.mjs';
import { runSteps } from '../packed/steps.mjs';
import { keepTable, pinned } from '../packed/table.mjs';

const here = import.meta.dirname;
console.log(`tools: ${await install(here)}`);
const tarball = await pack();

const steps = [];
for (const family of ['installed', 'frameworks', 'test-runners', 'recipes', 'compilers']) {
  const { stepsOf } = await import(`./${family}.mjs`);
  steps.push(...stepsOf(tarball, pinned(here)));
}
// Two at a time: most of them compute on one core.
if (await runSteps(steps, { lanes: 2 })) keepTable('consumers', steps);
