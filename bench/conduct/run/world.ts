import type { createMockService, MockService } from '../../../mocks/index.js';
import type { Time } from '../scenario/network.js';

/** A service, and time that passes as fast as the work in it allows. */
export interface World {
  readonly service: MockService;
  readonly time: Time;
  /** Lets time pass until `work` is settled, or until `limit` ms have passed. Resolves to whether the work was settled. */
  run(work: Promise<unknown>, limit: number): Promise<boolean>;
}

/** The function of `petstore-client/mocks` that makes a service, given so that source or build can be measured. */
export type CreateMockService = typeof createMockService;

/** What {@link CreateMockService} takes, but for the clock, which is the world's. */
export type ServiceOptions = Omit<NonNullable<Parameters<CreateMockService>[0]>, 'clock' | 'now'>;

/** Makes the world of one run, whose clock starts at `epoch`. */
export type MakeWorld = (options: ServiceOptions, epoch: number) => World;
