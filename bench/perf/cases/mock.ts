import { mocks, type MockName } from '../mocks/index.js';
import { byHand } from '../mocks/by-hand.js';
import { paired, type Effort } from '../measure.js';
import type { Ratio } from '../stats.js';

export interface MockCase {
  readonly mock: MockName;
  readonly dist: string;
  readonly effort: Effort;
}

/** A list of 20 pets from a mock in the same process, read by its caller, beside a `fetch` written by hand. */
export default async function mock({ mock: name, dist, effort }: MockCase): Promise<Ratio> {
  const { ask, stop } = await mocks[name](new URL(dist));
  const base = byHand();
  const text = await read(ask);
  if ((JSON.parse(text) as unknown[]).length !== 20)
    throw new Error(`${name} did not answer with 20 pets: ${text.slice(0, 100)}`);
  try {
    return await paired(
      () => read(base),
      () => read(ask),
      effort,
    );
  } finally {
    stop?.();
  }
}

async function read(ask: () => Promise<Response>): Promise<string> {
  return (await ask()).text();
}
