// @ts-nocheck
// The mutation score of random lines of src, because a whole run takes many hours: `npm run mutation:sample`, or with
// `-- --lines 150 --seed 1 --under src/fleet`. Tests of the fleet need redis-server.
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    lines: { type: 'string', default: '150' },
    seed: { type: 'string', default: '1' },
    under: { type: 'string', default: 'src' },
  },
});

/** Lines that hold no code, or only types. */
const empty =
  /^\s*($|\/\/|\/?\*|import |export type |export \{|[}\])]+[;,)]*$|(readonly )?\w+\??: [^=]*;$)/;
const lines = globSync(`${values.under}/**/*.ts`)
  .sort()
  .flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((text, at) => (empty.test(text) ? [] : [`${file}:${at + 1}-${at + 1}`])),
  );

// A linear congruential generator, so that a seed gives the same lines everywhere.
let state = Number(values.seed);
const random = () => (state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32) / 2 ** 32;
const ranked = lines.map((line) => [random(), line]).sort(([a], [b]) => a - b);
const chosen = ranked.slice(0, Number(values.lines)).map(([, line]) => line);

console.log(`${chosen.length} of ${lines.length} lines under ${values.under}, seed ${values.seed}`);
const { status } = spawnSync(
  'stryker',
  ['run', 'config/stryker.mjs', '--mutate', chosen.sort().join(',')],
  {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  },
);
process.exit(status ?? 1);
