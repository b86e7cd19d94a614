// A thousand random services; FUZZ_RUNS for another number, FUZZ_SEED for others. Prints how many values were right, open and wrong.
import { slowRounds } from '../../support/fuzz.js';
import { expect, test } from 'vitest';
import { verifyRandom } from '../../support/random-services.js';

const runs = slowRounds(1_000);

test(`in ${runs} random services no measured value is wrong, and nine of ten that are asked are measured`, async () => {
  const { figures, sum, problems, sameTraces } = await verifyRandom(
    runs,
    Number(process.env['FUZZ_SEED'] ?? 1),
  );
  console.table({ ...figures, 'in all': sum });
  console.log(`The same trace: ${sameTraces} of ${runs}`);
  expect(problems).toEqual([]);
  expect(sameTraces).toBe(runs);
  expect(sum.right / (sum.right + sum.open)).toBeGreaterThan(0.9);
}, 3_600_000);
