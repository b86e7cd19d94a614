import type { World } from './run.js';
import { exponential, type Random } from './scenario.js';

/** One request, and the status of the answer when there was one. */
export interface Sent {
  readonly process: number;
  status?: number;
}

/** A `fetch` for one process that takes 0.3 × rtt + Exp(0.2 × rtt) each way, and writes down what passed. */
export function network(
  { service, time }: World,
  random: Random,
  rtt: number,
  journal: Sent[],
  process: number,
  skew: number,
): typeof globalThis.fetch {
  const way = () => time.sleep(0.3 * rtt + exponential(random, 0.2 * rtt));
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
    return skew === 0 ? response : skewed(response, skew);
  };
}

/**
 * The answer of a service whose clock is `skew` ms behind the client's, on which nothing else depends: every date in its
 * headers is earlier by it. Whole seconds, since that is what the headers hold.
 */
function skewed(response: Response, skew: number): Response {
  const { status, statusText } = response;
  const headers = new Headers(response.headers);
  const reset = headers.get('X-RateLimit-Reset');
  if (reset !== null) headers.set('X-RateLimit-Reset', String(Number(reset) - skew / 1_000));
  for (const name of ['Date', 'Retry-After']) {
    const value = headers.get(name);
    if (value?.endsWith('GMT')) headers.set(name, new Date(Date.parse(value) - skew).toUTCString());
  }
  return new Response(response.body, { status, statusText, headers });
}
