import type { CreateMockService, MakeWorld } from './world.js';

/** For clients that take a clock: the service's own virtual one, which moves on by itself when nothing else is to be done. */
export function virtualWorld(createMockService: CreateMockService): MakeWorld {
  return (options, epoch) => {
    const service = createMockService({ ...options, clock: 'virtual', now: epoch });
    return {
      service,
      time: service.clock,
      async run(work, limit) {
        const over = new AbortController();
        const late = service.clock.sleep(limit, over.signal).then(
          () => false,
          () => true,
        );
        const settled = await Promise.race([work.then(() => true), late]);
        over.abort();
        return settled;
      },
    };
  };
}
