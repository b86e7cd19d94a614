import { expect, test } from 'vitest';
import { Worlds } from '../../../mocks/control/worlds.js';
import { createMockService } from '../../../mocks/index.js';
import { createApp } from '../../../mocks/standalone/app.js';
import { asking, control } from '../../support/control.js';
import { served } from '../../support/served.js';

test('the control API reads bodies up to a bound of its own, and answers 413 beyond it', async () => {
  const { service } = control({ seed: 0, assumptions: { maxBodyBytes: 100 } });
  const server = await served(service);
  const add = (length: number) =>
    fetch(`${server.url}/_mock/pets`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'x'.repeat(length), categoryId: 1 }),
    });
  expect((await add(2_000_000)).status).toBe(200);
  const refused = await add(17 * 1_048_576);
  const message = 'The body is too large: the control API reads 16777216 bytes at most.';
  const body = { code: 'body_too_large', message, status: 413 };
  expect([refused.status, await refused.json()]).toEqual([413, body]);
  expect(service.pets.size).toBe(1);
});

test.each([
  ['a page on another port', { Origin: 'http://127.0.0.1:9999' }],
  ['a sandboxed page', { Origin: 'null' }],
  ['an image of another site', { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors' }],
])('%s is refused by the control API', async (_who, headers) => {
  const { service, ask } = control();
  const response = await ask('POST', '/_mock/reset', undefined, headers);
  expect(response.status).toBe(403);
  expect(response.headers.has('Access-Control-Allow-Origin')).toBe(false);
  expect((await ask('GET', '/_mock/state', undefined, headers)).status).toBe(403);
  expect(service.pets.size).toBe(3);
});

test.each([
  ['this machine by its name', 'localhost:4010', {}, 200],
  ['this machine by its address', '127.0.0.1', {}, 200],
  ['the host that the server listens on', 'mock.internal:4010', {}, 200],
  ['a page of its own', 'mock.internal:4010', { Origin: 'http://mock.internal:4010' }, 200],
  ['a host that was allowed', 'petstore-mock:4010', {}, 200],
  ['an address of IPv6 that was allowed', '[2001:db8::1]:4010', {}, 200],
  ['a name of somebody else that points to this machine', 'evil.test', {}, 403],
  ['an address of IPv6 that was not allowed', '[2001:db8::2]:4010', {}, 403],
])(
  '%s (%s with %j) is answered %i by the control API, a refusal with the options that allow it, and never refused by the service',
  async (_who, host, headers, status) => {
    const hosts = ['mock.internal', 'Petstore-Mock', '2001:DB8:0:0::1'];
    const worlds = new Worlds(createMockService());
    const { app } = asking(createApp(worlds, hosts));
    const get = (path: string) => app(new Request(`http://${host}${path}`, { headers }));
    const state = await get('/_mock/state');
    expect([state.status, (await get('/v1/pets')).status]).toEqual([status, 401]);
    const name = new URL(`http://${host}`).hostname.replace(/^\[(.+)\]$/, '$1');
    const options = `petstore-mock --allow-host ${name}, or serve(service, { allowHosts: ['${name}'] })`;
    expect((await state.text()).includes(options)).toBe(status === 403);
  },
);

test('there is no preflight for the control API, and a form of another site cannot act: only JSON that is declared is read', async () => {
  const { service, ask } = control();
  const asks = { 'Access-Control-Request-Method': 'POST', Origin: 'https://evil.test' };
  expect((await ask('OPTIONS', '/_mock/reset', undefined, asks)).status).toBe(403);
  const type = { 'Content-Type': 'text/plain' };
  expect((await ask('POST', '/_mock/pets', '{"seed":5}', type)).status).toBe(415);
  expect(service.pets.size).toBe(3);
});
