import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { quantile } from '../stats.js';

export interface ColdStartCase {
  readonly dist: string;
  readonly rounds: number;
}

const here = fileURLToPath(new URL('.', import.meta.url));

/** ms of CPU time that importing each package adds to an empty process: median, and the quarter below and above. */
export default function coldStart({
  dist,
  rounds,
}: ColdStartCase): Record<string, readonly [median: number, low: number, high: number]> {
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
  const found = new Map(names.map((name) => [name, [] as number[]]));
  for (let round = -1; round < rounds; round++) {
    const empty = startOf('');
    for (const name of names) {
      const ms = startOf(`await import(${JSON.stringify(imports[name])});`) - empty;
      // The first round fills the caches of the disk.
      if (round >= 0) found.get(name)!.push(ms);
    }
  }
  return Object.fromEntries(
    [...found].map(([name, all]) => [
      name,
      [quantile(all, 0.5), quantile(all, 0.25), quantile(all, 0.75)],
    ]),
  );
}

/** ms of CPU time that a process which runs `script` has spent at its end. */
function startOf(script: string): number {
  const code = `${script} const { user, system } = process.cpuUsage(); console.log((user + system) / 1000);`;
  const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: here,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`This does not start: ${script}`);
  return Number(stdout.trim().split('\n').at(-1));
}
