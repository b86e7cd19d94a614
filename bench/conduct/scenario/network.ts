import { exponential, type Random } from './random.js';
import { skewed } from './skew.js';

/** Time as the run sees it. */
export interface Time {
  now(): number;
  sleep(ms: number): Promise<void>;
}

/** One request on its way. All times are ms on the clock of the run. */
export interface Sent {
  readonly process: number;
  readonly sentAt: number;
  /** Of the answer, when there was one. */
  status?: number;
  /** When the service answered it. */
  answeredAt?: number;
}

/** Ways between the clients and the service. */
export interface Wire {
  readonly service: { handle(request: Request): Promise<Response> };
  readonly time: Time;
  readonly random: Random;
  /** Mean round trip, ms. */
  readonly rtt: number;
  readonly journal: Sent[];
}

/** A `fetch` for one process that takes 0.3 × rtt + Exp(0.2 × rtt) each way, and writes down what passed. */
export function network(
  { service, time, random, rtt, journal }: Wire,
  process: number,
  skew: number,
): typeof globalThis.fetch {
  const way = () => time.sleep(0.3 * rtt + exponential(random, 0.2 * rtt));
  return async (input, init) => {
    const request = new Request(input, init);
    const sent: Sent = { process, sentAt: time.now() };
    journal.push(sent);
    await way();
    request.signal.throwIfAborted();
    const response = await service.handle(request);
    sent.status = response.status;
    sent.answeredAt = time.now();
    await way();
    request.signal.throwIfAborted();
    return skewed(response, skew);
  };
}
