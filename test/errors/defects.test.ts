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

test.each(['p%20q', 'a%41', '&lt;x'])(
  'the short key %s, which looks escaped, is withheld',
  async (apiKey) => {
    const reply = json({ code: 'x', message: `key ${apiKey}`, status: 400 }, { status: 400 });
    const { body } = await failureOf(reply, list, { apiKey });
    expect(body).toEqual({ code: 'x', message: withheld, status: 400 });
  },
);

test('a key in base64 that is escaped once more is withheld', async () => {
  const apiKey = 'ab>?~cd>?~ef>?~gh';
  const base64 = btoa(`Bearer ${apiKey}`);
  for (const text of [encodeURIComponent(base64), base64.replaceAll('/', '\\/')]) {
    const reply = new Response(`<p>${text}`, { status: 400 });
    expect((await failureOf(reply, list, { apiKey })).body).toBe(withheld);
  }
});

test('a key of the environment is withheld where it stands in an option', () => {
  vi.stubEnv('PETSTORE_API_KEY', 'sk-live-abcdef123456');
  expect(() => new PetStoreClient({ 'sk-live-abcdef123456': 1 } as object)).toThrow(withheld);
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
