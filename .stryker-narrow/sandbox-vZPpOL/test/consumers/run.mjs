// @ts-nocheck
// The packed package in fresh projects of every kind: `npm run test:consumers [-- jest types …] [--write]`.
import { setup } from '../../tools/install.mjs';
import { runSteps } from '../packed/steps.mjs';
import { keepTable } from '../packed/table.mjs';

await setup();

const steps = [];
for (const name of ['next', 'bundles', 'test-runners', 'recipes', 'compilers']) {
  const family = await import(`./${name}.mjs`);
  steps.push(...family.steps);
}
// Two at a time: most of them compute on one core.
if (await runSteps(steps, { lanes: 2 })) keepTable('consumers', steps);
