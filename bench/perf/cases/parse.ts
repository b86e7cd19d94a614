import * as z from 'zod';
import { bodies, pets } from '../answers.js';
import { paired, type Effort } from '../measure.js';
import type { Ratio } from '../stats.js';

export interface ParseCase {
  readonly what: keyof typeof work;
  readonly dist: string;
  readonly effort: Effort;
}

type Service = { parse(value: unknown): unknown };
type Contract = {
  readonly PetListSchema: { readonly '~standard': { validate(value: unknown): unknown } };
};

const pet = z.object({
  id: z.int(),
  name: z.string(),
  categoryId: z.int(),
  status: z.enum(['available', 'pending', 'sold']).optional(),
});
const list: Service = z.array(pet);
const interpreted = (value: unknown) => z.array(pet).safeParse(value, { jitless: true } as never);
const long = bodies.list.replaceAll(
  /"id":(\d+)/g,
  (_all, id: string) => `"id":${2n ** 62n + BigInt(id)}`,
);

/** A check as one would write it by hand, each pet copied as Zod does. */
function byHand(value: unknown): unknown {
  if (!Array.isArray(value)) throw new TypeError('no list');
  return value.map((one: Record<string, unknown>) => {
    const { id, name, categoryId, status } = one;
    if (!Number.isSafeInteger(id) || typeof name !== 'string' || !Number.isSafeInteger(categoryId))
      throw new TypeError('no pet');
    if (status !== 'available' && status !== 'pending' && status !== 'sold' && status !== undefined)
      throw new TypeError('no status');
    return { id, name, categoryId, status };
  });
}

const work = {
  'contract, 100 pets': {
    base: () => byHand(pets),
    own: ({ contract }: Loaded) => contract.PetListSchema['~standard'].validate(pets),
  },
  'zod, 100 pets': { base: () => byHand(pets), own: () => list.parse(pets) },
  'zod without JIT, 100 pets': { base: () => byHand(pets), own: () => interpreted(pets) },
  'int64, no id long': {
    base: () => JSON.parse(bodies.list) as unknown,
    own: ({ json }: Loaded) => json.parseJson(bodies.list),
  },
  'int64, all ids long': {
    base: () => JSON.parse(long) as unknown,
    own: ({ json }: Loaded) => json.parseJson(long),
  },
} as const;

interface Loaded {
  readonly contract: Contract;
  readonly json: { parseJson(text: string): unknown };
}

/** What checking 100 pets costs beside a check by hand, and exact ids beside `JSON.parse`. */
export default async function parse({ what, dist, effort }: ParseCase): Promise<Ratio> {
  const loaded: Loaded = {
    contract: (await import(new URL('contract/index.js', dist).href)) as Contract,
    // No entry exports it: of the sources, then.
    json: await import('../../../src/contract/json.js'),
  };
  const { base, own } = work[what];
  return paired(base, () => own(loaded), effort);
}
