// Defects that were found from outside, each with its case.
import { expect, test, vi } from 'vitest';
import {
  GateRefusedError,
  NotFoundError,
  PetStoreClient,
  type PetStoreEvent,
} from '../../src/index.js';
import { failureOf, json, list, pet, stubClient, stubFetch } from '../support/stub.js';

const withheld = '[text withheld: it contains the API key]';

test('a body of backslashes is read in one way only', async () => {
  const body = `${'\\'.repeat(400_000)}!`;
  expect((await failureOf(new Response(body, { status: 500 }))).status).toBe(500);
});

test('a key is withheld where it stands in an option, also that of the environment', () => {
  const apiKey = 'sk-live-abcdef123456';
  const message = `an option is wrong: ${withheld}`;
  expect(() => new PetStoreClient({ apiKey, [apiKey]: 1 } as object)).toThrow(message);
  vi.stubEnv('PETSTORE_API_KEY', apiKey);
  expect(() => new PetStoreClient({ [apiKey]: 1 } as object)).toThrow(message);
});

test('a call whose error cannot be made ends with an error all the same', async () => {
  const events: PetStoreEvent[] = [];
  const gate = { acquire: () => Promise.reject(new GateRefusedError('hold', 5n as never)) };
  await failureOf(json([]), list, { gate, onEvent: (event) => events.push(event) });
  expect(events).toMatchObject([{ type: 'call-end', outcome: 'error' }]);
});

test('a text of the service adds no line to a log', async () => {
  const lines: string[] = [];
  const line = (message: string) => void lines.push(message);
  const logger = { debug: line, info: line, warn: line, error: line };
  const fetch = stubFetch(json([pet({ status: 'new\n2026 ERROR forged' })]));
  await stubClient(fetch, { logger }).listPets();
  expect(lines[0]).toMatch(/unknown status: new 2026 ERROR forged$/);
});

test('an error that a test makes without headers can be written as JSON', () => {
  expect(JSON.parse(JSON.stringify(new NotFoundError('none', { status: 404 })))).toMatchObject({
    status: 404,
    headers: {},
  });
});

test('bytes are copied when the call is made, and the curl command names their type', async () => {
  const bytes = new TextEncoder().encode('original');
  const bodies: string[] = [];
  const error = await failureOf(
    ({ body }) => (bodies.push(body), json({}, { status: 404 })),
    (client) => {
      const headers = { 'Content-Type': 'text/csv' };
      const put = (body: unknown) =>
        client.request({ method: 'PUT', path: '/x', body }, { headers });
      const calls = [put(bytes), put('a,b')];
      bytes.fill(33);
      return Promise.allSettled(calls).then(() => calls[1]);
    },
  );
  expect(bodies).toEqual(['original', 'a,b']);
  expect(error.toCurl()).toContain("-H 'Content-Type: text/csv'");
});
