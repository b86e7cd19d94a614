import { createServer } from 'node:http';
import { headers, pets, requestOf, bodies, statuses } from '../answers.js';

const twenty = JSON.stringify(pets.slice(0, 20));

/** A bare server of canned answers: the floor of all mocks, and the far end of the requests over loopback. */
export default function serveCanned({ port }: { port: number }): Promise<never> {
  createServer((incoming, outgoing) => {
    const url = incoming.url ?? '/';
    const request = requestOf(incoming.method ?? 'GET', url);
    const body = url.endsWith('limit=20') ? twenty : bodies[request];
    incoming.resume();
    outgoing.writeHead(statuses[request], {
      ...headers(),
      'Content-Length': Buffer.byteLength(body),
    });
    outgoing.end(body);
  }).listen(port, '127.0.0.1');
  return new Promise(() => undefined);
}
