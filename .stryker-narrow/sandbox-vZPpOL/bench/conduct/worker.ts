/** Does the runs of the bench in a process of its own: a part of the clients' module state never ends with a run. */
// @ts-nocheck

import { load } from '../product.js';
import { fakedWorld } from './faked-world.js';
import { figures, type Figures } from './figures.js';
import { ours } from './ours.js';
import { peers } from './peers.js';
import { run, virtualWorld } from './run.js';
import type { Scenario } from './scenario.js';

const { createMockService } = await load('mocks/index');
const own = ours(await load('index'));

/** The runs of one client, by its name as a peer or else ours. */
export interface Job {
  readonly client: string;
  readonly runs: readonly { readonly scenario: Scenario; readonly seed: number }[];
}

export async function work({ client, runs }: Job): Promise<Figures[]> {
  const peer = peers[client];
  const world = peer ? fakedWorld(createMockService) : virtualWorld(createMockService);
  const all: Figures[] = [];
  for (const { scenario, seed } of runs)
    all.push(figures(await run(scenario, peer ?? own, world, seed)));
  return all;
}
