import { expect, test } from 'vitest';
import { createMockService } from '../../../mocks/index.js';

const url = 'https://api.petstore.example/v1/pets';
const headers = { authorization: 'Bearer mock-free' };

test('a signal beside a Request takes the place of its own', async () => {
  const service = createMockService();
  service.faults.add({ delay: 1_000_000, times: 2 });
  const [own, beside] = [new AbortController(), new AbortController()];
  const reason = new Error('enough');
  const answer = service.fetch(new Request(url, { headers, signal: own.signal }), {
    signal: beside.signal,
    redirect: 'manual',
  });
  own.abort();
  setImmediate(() => beside.abort(reason));
  await expect(answer).rejects.toBe(reason);
});

test('no signal beside a Request leaves its own, and null takes it away', async () => {
  const service = createMockService();
  const reason = new Error('enough');
  const aborted = () => new Request(url, { headers, signal: AbortSignal.abort(reason) });
  await expect(service.fetch(aborted(), { redirect: 'manual' })).rejects.toBe(reason);
  expect((await service.fetch(aborted(), { signal: null })).status).toBe(200);
});

test('options beside a Request keep its method, headers and body', async () => {
  const service = createMockService();
  const request = new Request(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: '{"name":"Rex","categoryId":1}',
  });
  const answer = await service.fetch(request, {
    signal: new AbortController().signal,
    credentials: 'omit',
  });
  expect(answer.status).toBe(201);
  expect(await answer.json()).toMatchObject({ name: 'Rex', categoryId: 1 });
});
