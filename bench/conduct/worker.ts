/** Does the runs of the bench in a process of its own: a part of the clients' module state never ends with a run. */
import { load } from '../product.js';
import { fakedWorld } from './faked-world.js';
import { figures, type Figures } from './figures.js';
import { ours } from './ours.js';
import { peers } from './peers.js';
import { run, virtualWorld } from './run.js';
import type { Scenario } from './scenario.js';

const { createMockService } = await load('mocks/index');
const own = ours(await load('index'));

/** One client, by its name as a peer or else ours, in one situation. */
export interface Job {
  readonly client: string;
  readonly scenario: Scenario;
  readonly seed: number;
}

export async function work({ client, scenario, seed }: Job): Promise<Figures> {
  const peer = peers[client];
  const world = peer ? fakedWorld(createMockService) : virtualWorld(createMockService);
  return figures(await run(scenario, peer ?? own, world, seed));
}
