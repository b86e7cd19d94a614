// The packed package in fresh projects of every kind: `npm run test:consumers [-- jest types …] [--write]`.
import { pinned, setup } from '../../tools/install.mjs';
import { pack } from '../packed/pack.mjs';
import { runSteps } from '../packed/steps.mjs';
import { keepTable } from '../packed/table.mjs';

await setup();
const tarball = await pack();

const steps = [];
for (const family of ['next', 'bundles', 'test-runners', 'recipes', 'compilers']) {
  const { stepsOf } = await import(`./${family}.mjs`);
  steps.push(...stepsOf(tarball, pinned));
}
// Two at a time: most of them compute on one core.
if (await runSteps(steps, { lanes: 2 })) keepTable('consumers', steps);
