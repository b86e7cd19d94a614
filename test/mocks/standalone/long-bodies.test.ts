import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { createMockService } from '../../../mocks/index.js';
import type { CreateWorld } from '../../../mocks/server.js';
import { startServed } from '../../support/served.js';

const headers = { Authorization: 'Bearer mock-free', 'Content-Type': 'application/json' };
const ofBytes = (bytes: number) => {
  const around = JSON.stringify({ name: '', categoryId: 1 }).length;
  return JSON.stringify({ name: 'x'.repeat(bytes - around), categoryId: 1 });
};

/** A server whose services read at most 1,000 bytes, and those of other worlds at most 3,000. */
async function start() {
  const createWorld: CreateWorld = ({ assumptions = { maxBodyBytes: 3_000 } }) =>
    createMockService({ assumptions });
  const { url } = await startServed({ assumptions: { maxBodyBytes: 1_000 } }, { createWorld });
  const post = async (bytes: number, world = '') => {
    const inWorld = { ...headers, ...(world && { 'X-Mock-World': world }) };
    const init = { method: 'POST', headers: inWorld, body: ofBytes(bytes) };
    return (await fetch(`${url}/v1/pets`, init)).status;
  };
  const put = async (maxBodyBytes: number) => {
    const init = { method: 'PUT', headers, body: JSON.stringify({ maxBodyBytes }) };
    expect((await fetch(`${url}/_mock/assumptions`, init)).status).toBe(204);
  };
  return { url, post, put };
}

test('a port reads bodies as long as the assumptions in force allow, in each world as its own do', async () => {
  const { post, put } = await start();
  expect([await post(1_000), await post(1_001)]).toEqual([201, 413]);
  expect([await post(3_000, 'w'), await post(3_001, 'w')]).toEqual([201, 413]);
  await put(2_000);
  expect([await post(2_000), await post(2_001)]).toEqual([201, 413]);
  expect([await post(3_000, 'w'), await post(99, 'no world')]).toEqual([201, 400]);
  await put(10);
  expect([await post(2_000), await post(3_000, 'w')]).toEqual([413, 201]);
});

test('a body that was cut while its assumptions changed is too long, and is not read as if it were whole', async () => {
  const { url, put } = await start();
  const sent = request(`${url}/v1/pets`, {
    method: 'POST',
    headers: { ...headers, Expect: '100-continue' },
  });
  sent.flushHeaders();
  await once(sent, 'continue');
  await put(2_000);
  const answered = once(sent.end(ofBytes(2_000)), 'response');
  expect(await json(((await answered) as [IncomingMessage])[0])).toMatchObject({ status: 413 });
});
