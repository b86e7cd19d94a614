import { bodies, headers, requestOf, statuses } from './answers.js';

let lines = headers();
let made = Date.now();

/** A `fetch` without a network: answers at once. The head is renewed each second, as that of a service is. */
export async function stub(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const request = requestOf(
    methodOf(input, init),
    input instanceof Request ? input.url : String(input),
  );
  const now = Date.now();
  if (now - made > 1_000) {
    lines = headers();
    made = now;
  }
  return new Response(bodies[request], { status: statuses[request], headers: lines });
}

function methodOf(input: string | URL | Request, init?: RequestInit): string {
  return (init?.method ?? (input instanceof Request ? input.method : 'GET')).toUpperCase();
}
