import type { MockService } from '../../mocks/index.js';
import { exponential, type Random } from './scenario.js';

/** One request, and the status of the answer when there was one. */
export interface Sent {
  readonly process: number;
  status?: number;
}

/** A `fetch` for one process that takes 0.3 × rtt + Exp(0.2 × rtt) each way, and writes down what passed. */
export function network(
  service: MockService,
  random: Random,
  rtt: number,
  journal: Sent[],
  process: number,
): typeof globalThis.fetch {
  const way = () => service.clock.sleep(0.3 * rtt + exponential(random, 0.2 * rtt));
  return async (input, init) => {
    const request = new Request(input, init);
    const sent: Sent = { process };
    journal.push(sent);
    await way();
    request.signal.throwIfAborted();
    const response = await service.handle(request);
    sent.status = response.status;
    await way();
    request.signal.throwIfAborted();
    return response;
  };
}
