import type { GivenAssumptions } from '../assumptions/assumptions.js';
import { contextOf } from '../service/service.js';
import type { MockService } from '../service/types.js';
import { checkService } from '../utils/options.js';
import { ControlError } from './route.js';

/** The header by which a request names its world. */
export const worldHeader = 'X-Mock-World';

/** Creates the service of another world, with these `assumptions` if they are given. */
export type CreateWorld = (options: { assumptions?: GivenAssumptions }) => MockService;

/** The most worlds beside the first one: each holds pets, keys and a journal of its own. */
export const maxWorlds = 100;

/** The services of one port: the first world, and one for each other name that a request has used. */
export class Worlds {
  readonly #create: CreateWorld | undefined;
  readonly #services: Map<string, MockService>;

  constructor(first: MockService, create?: CreateWorld) {
    this.#create = create;
    this.#services = new Map([['', first]]);
  }

  get first(): MockService {
    return this.#services.get('')!;
  }

  /** The service of a world. The first request that names a world creates it. @throws ControlError for an invalid name, or when no more worlds can be created. */
  get(name: string): MockService {
    const known = this.#services.get(name);
    if (known) return known;
    if (!/^[\w.-]{1,64}$/.test(name)) {
      const why = `${worldHeader} must be 1 to 64 letters, digits, dots, hyphens or underscores.`;
      throw new ControlError(400, 'invalid_world', why);
    }
    if (this.#services.size > maxWorlds) {
      const why = `There are ${maxWorlds} worlds already: remove one with DELETE /_mock/worlds/{name}.`;
      throw new ControlError(409, 'too_many_worlds', why);
    }
    const created = this.#make({});
    this.#services.set(name, created);
    return created;
  }

  /** The names of all worlds; the first one has an empty name. */
  list(): { name: string; pets: number; requests: number }[] {
    return [...this.#services].map(([name, { pets, requests }]) => ({
      name,
      pets: pets.size,
      requests: requests.length,
    }));
  }

  /** Removes a world other than the first one. True if there was one. */
  remove(name: string): boolean {
    const service = this.#services.get(name);
    if (name === '' || !service) return false;
    this.#services.delete(name);
    // Clients that wait for this world may continue: it may be created again, with unused quotas.
    service.reset();
    return true;
  }

  /**
   * Replaces the service of a world by one with other assumptions. Pets, keys, quotas, faults and the clock are kept; the journal
   * and the report start empty, and what a request in flight changes is lost.
   */
  changeAssumptions(name: string, assumptions: GivenAssumptions): void {
    const before = this.get(name);
    const after = this.#make({ assumptions });
    // Set before `restore`, which moves no system clock, and drops counts that lie in the future.
    after.clock.set(before.clock.now());
    after.restore(before.snapshot());
    const [from, to] = [contextOf(before), contextOf(after)];
    // After `restore`, which frees clients: here the quotas are kept, so that only a later reset may free those of `before`.
    for (const origin of from.origins) to.origins.add(origin);
    to.faults.lastId = from.faults.lastId;
    this.#services.set(name, after);
  }

  #make(options: Parameters<CreateWorld>[0]): MockService {
    const why =
      'This server has one world: call serve(service, { createWorld }) to have more, and to replace assumptions.';
    if (!this.#create) throw new ControlError(409, 'one_world', why);
    const made = this.#create(options);
    checkService('serve(service, { createWorld })', made, 'handle');
    return made;
  }
}
