// Defects that were found from outside, each with its case.
import { expect, test, vi } from 'vitest';
import {
  GateRefusedError,
  NotFoundError,
  PetStoreClient,
  type ApiError,
  type PetStoreEvent,
} from '../../src/index.js';
import { json, pet, stubClient, stubFetch } from '../support/stub.js';
import { rejection } from '../support/world.js';

const withheld = '[text withheld: it contains the API key]';

test('a body of backslashes is read in one way only', async () => {
  const body = `${'\\'.repeat(400_000)}!`;
  const fetch = stubFetch(() => new Response(body, { status: 500 }));
  const error = await rejection<ApiError>(stubClient(fetch, { maxRetries: 0 }).listPets());
  expect(error.status).toBe(500);
});

test.each(['p%20q', 'a%41', '&lt;x'])(
  'the short key %s, which looks escaped, is withheld',
  async (apiKey) => {
    const fetch = stubFetch(
      json({ code: 'x', message: `key ${apiKey}`, status: 400 }, { status: 400 }),
    );
    const error = await rejection<ApiError>(stubClient(fetch, { apiKey }).listPets());
    expect(error.body).toEqual({ code: 'x', message: withheld, status: 400 });
  },
);

test('a key in base64 that is escaped once more is withheld', async () => {
  const apiKey = 'ab>?~cd>?~ef>?~gh';
  const base64 = btoa(`Bearer ${apiKey}`);
  for (const text of [encodeURIComponent(base64), base64.replaceAll('/', '\\/')]) {
    const fetch = stubFetch(() => new Response(`<p>${text}`, { status: 400 }));
    expect((await rejection<ApiError>(stubClient(fetch, { apiKey }).listPets())).body).toBe(
      withheld,
    );
  }
});

test('a key of the environment is withheld where it stands in an option', () => {
  vi.stubEnv('PETSTORE_API_KEY', 'sk-live-abcdef123456');
  try {
    expect(() => new PetStoreClient({ 'sk-live-abcdef123456': 1 } as object)).toThrow(withheld);
  } finally {
    vi.unstubAllEnvs();
  }
});

test('a call whose error cannot be made ends with an error all the same', async () => {
  const events: PetStoreEvent[] = [];
  const gate = { acquire: () => Promise.reject(new GateRefusedError('hold', 5n as never)) };
  const onEvent = (event: PetStoreEvent) => events.push(event);
  await rejection(stubClient(stubFetch(), { gate, onEvent }).listPets());
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

test.each([
  { ok: true, status: 200, headers: new Map(), text: () => Promise.resolve('[]') },
  { status: 200, headers: new Headers(), text: () => Promise.resolve('[]') },
])('a stub that is not quite a Response is named as such: %o', async (given) => {
  const fetch = stubFetch(() => given as never);
  const { message } = await rejection<Error>(stubClient(fetch).listPets());
  expect(message).toContain('the function fetch gave no Response');
});

test('an error that a test makes without headers can be written as JSON', () => {
  expect(JSON.parse(JSON.stringify(new NotFoundError('none', { status: 404 })))).toMatchObject({
    status: 404,
    headers: {},
  });
});

test('bytes are copied when the call is made, and the curl command names their type', async () => {
  const bytes = new TextEncoder().encode('original');
  const fetch = stubFetch(json({}, { status: 404 }));
  const call = rejection<ApiError>(
    stubClient(fetch).request(
      { method: 'PUT', path: '/x', body: bytes },
      { headers: { 'Content-Type': 'text/csv' } },
    ),
  );
  bytes.fill(33);
  await call;
  expect(fetch.sent[0]!.body).toBe('original');
  const text = stubClient(fetch).request(
    { method: 'PUT', path: '/x', body: 'a,b' },
    { headers: { 'Content-Type': 'text/csv' } },
  );
  expect((await rejection<ApiError>(text)).toCurl()).toContain("-H 'Content-Type: text/csv'");
});
