import type { GivenAssumptions } from '../../assumptions/assumptions.js';
import { Worlds, type CreateWorld } from '../../control/worlds.js';
import { givenFault, type Fault } from '../../faults/parse.js';
import { planOf } from '../../limits/keys.js';
import type { SeedPet } from '../../pets/pet.js';
import { createMockService } from '../../service/service.js';
import type { MockService } from '../../service/types.js';
import { createApp } from '../app.js';
import { listenOn, type Listening } from '../listen.js';
import type { State } from '../state-file.js';
import { UsageError } from './flags.js';
import type { CliOptions } from './options.js';
import { banner, machineBanner, paint } from './text.js';

/** How long the service waits for requests in flight when it stops, ms. */
const grace = 5000;

/** Starts the service. It runs until SIGINT or SIGTERM. */
export async function run(options: CliOptions): Promise<void> {
  const { assumptions, seed } = options;
  // Loaded only when a file is given.
  const files = () => import('./files.js');
  const measured = assumptions && (await files()).readAssumptionsFlag(assumptions);
  const pets = typeof seed === 'string' ? (await files()).readSeedFile(seed) : seed;
  const worlds = createWorlds(options, pets, measured ? measured.assumptions : {});
  const service = worlds.first;
  const state =
    options.state === undefined
      ? undefined
      : await (await import('../state-file.js')).openState(options.state, worlds);
  const notes = state && !state.isNew ? stateNotes(service, options) : [];
  const { port, host, 'allow-host': allowHosts } = options;
  const app = createApp(worlds, [host, ...allowHosts]);
  const server = await listenOn(state?.keeping(app) ?? app, { port, host, grace });

  // Before the address is printed, because a reader of the address may stop the program at once.
  stopOnSignal(server, state);

  process.stdout.write(
    options.json ? machineBanner(service, server.url) : banner(service, server.url, process.stdout),
  );
  if (!/^(127\.|localhost$|::1$)/.test(options.host))
    notes.push(`${options.host} can be reached from other machines, and its keys are public.`);
  if (options.clock === 'virtual')
    notes.push(
      'The clock is virtual: only POST /_mock/clock and delays of responses move it. A client in another process waits for its quota in real time: move the clock meanwhile.',
    );
  for (const note of notes)
    process.stderr.write(`${paint(process.stderr, 'red', 'Note')}: ${note}\n`);
}

function createWorlds(
  options: CliOptions,
  seed: number | SeedPet[],
  assumptions: GivenAssumptions,
): Worlds {
  const { clock, latency, key, limits } = options;
  const faults = options.fault.map(readFaultFlag);
  const shared = { clock, latency, keys: Object.fromEntries(key), limits, faults, seed };
  const create: CreateWorld = (changes) =>
    createMockService({ ...shared, assumptions, ...changes });
  try {
    return new Worlds(create({}), create);
  } catch (error) {
    // What the service refuses now was on the command line, such as a fault of an unknown key.
    throw new UsageError((error as Error).message);
  }
}

function readFaultFlag(text: string): Fault {
  try {
    return givenFault(text);
  } catch (error) {
    throw new UsageError(
      `--fault takes a fault as JSON, as in --fault '{"status":503,"times":2}': ${(error as Error).message}`,
    );
  }
}

/** Applies the command line to a service that was loaded from a state file, and returns notes about options that are not applied. */
function stateNotes(service: MockService, { state, key: keys, limits, given }: CliOptions) {
  const kept = { seed: 'has pets of its own', fault: 'keeps the faults of its last use' };
  const notes = Object.entries(kept)
    .filter(([flag]) => given.includes(flag))
    .map(([flag, why]) => `--${flag} is ignored until a reset: ${state} ${why}.`);
  for (const [name, { plan }] of keys) {
    if (!service.keys.has(name)) service.keys.add(name, { plan });
    const saved = planOf(service.keys.get(name));
    if (JSON.stringify(saved) === JSON.stringify(plan)) continue;
    service.keys.add(name, { plan, limits: service.keys.get(name).limits });
    notes.push(
      `--key changes the plan of ${name}, which was ${JSON.stringify(saved)} in ${state}. Its usage is kept.`,
    );
  }
  if (given.includes('limits'))
    for (const key of service.keys.list()) service.keys.add(key.key, { plan: planOf(key), limits });
  return notes;
}

/** Stops after the requests in flight; a second signal stops at once. */
function stopOnSignal(server: Listening, state: State | undefined): void {
  let isStopping = false;
  const stop = () => {
    if (isStopping) process.exit(130);
    isStopping = true;
    if (server.underWay() > 0)
      process.stderr.write(
        `Stops after ${server.underWay()} request(s) in flight, at the latest in ${grace / 1000} s. Ctrl+C again stops at once.\n`,
      );
    void server.close().then(() => state?.close());
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
}
