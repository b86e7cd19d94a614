import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { quantile } from '../stats.js';

export interface ColdStartCase {
  readonly dist: string;
  readonly rounds: number;
}

const here = fileURLToPath(new URL('.', import.meta.url));

/** ms: median, and the quarter below and above. */
export type Spread = readonly [median: number, low: number, high: number];

/** What importing a package takes by the clock, and the CPU time that it adds to an empty process. */
export interface ImportTime {
  readonly wall: Spread;
  readonly cpu: Spread;
}

/** Imports each package in fresh processes, in turns. */
export default function coldStart({ dist, rounds }: ColdStartCase): Record<string, ImportTime> {
  const imports = {
    'petstore-client': new URL('index.js', dist).href,
    'petstore-client/contract': new URL('contract/index.js', dist).href,
    'petstore-client/mocks': new URL('mocks/index.js', dist).href,
    ky: 'ky',
    zod: 'zod',
    'openapi-fetch': 'openapi-fetch',
    'openai core': 'openai',
    axios: 'axios',
    stripe: 'stripe',
    got: 'got',
    'msw 3 + msw/node': 'msw/node',
  };
  const names = Object.keys(imports) as (keyof typeof imports)[];
  const found = new Map(names.map((name) => [name, [] as Started[]]));
  for (let round = -1; round < rounds; round++) {
    const empty = startOf('');
    for (const name of names) {
      const { wall, cpu } = startOf(`await import(${JSON.stringify(imports[name])});`);
      // The first round fills the caches of the disk.
      if (round >= 0) found.get(name)!.push({ wall, cpu: cpu - empty.cpu });
    }
  }
  return Object.fromEntries(
    [...found].map(([name, all]) => [
      name,
      {
        wall: spread(all.map(({ wall }) => wall)),
        cpu: spread(all.map(({ cpu }) => cpu)),
      },
    ]),
  );
}

const spread = (values: readonly number[]): Spread => [
  quantile(values, 0.5),
  quantile(values, 0.25),
  quantile(values, 0.75),
];

interface Started {
  readonly wall: number;
  readonly cpu: number;
}

/** How long `script` runs by the clock, and the CPU time that its process has spent at its end, ms. */
function startOf(script: string): Started {
  const code = `const began = performance.now(); ${script}
    const wall = performance.now() - began;
    const { user, system } = process.cpuUsage();
    console.log(JSON.stringify({ wall, cpu: (user + system) / 1000 }));`;
  const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: here,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`This does not start: ${script}`);
  return JSON.parse(stdout.trim().split('\n').at(-1)!) as Started;
}
