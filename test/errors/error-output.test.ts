import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { ConfigurationError, type PetStoreClient } from '../../src/index.js';
import { brokenConnection, errorResponse, failureOf } from '../support/stub.js';

test('toJSON of an error has all that is safe to log', async () => {
  const error = await failureOf(brokenConnection('ECONNRESET'));
  expect(JSON.parse(JSON.stringify(error))).toEqual({
    name: 'ConnectionError',
    message: error.message,
    operation: 'createPet',
    attempts: [
      {
        failure: 'connection',
        at: expect.any(String),
        waited: expect.any(Number),
        took: expect.any(Number),
      },
    ],
    url: 'https://pets.test/v1/pets',
    requestSent: 'unknown',
    code: 'ECONNRESET',
    cause: { name: 'TypeError', message: 'fetch failed' },
  });
  const refused = JSON.parse(JSON.stringify(await failureOf(errorResponse(404)))) as object;
  expect(refused).toMatchObject({ status: 404, headers: { 'content-type': 'application/json' } });
  expect(refused).not.toHaveProperty('cause');
});

/** What a shell makes of the command: its words. */
const words = (curl: string) =>
  execFileSync('sh', ['-c', `curl() { printf '%s\\n' "$@"; }; PETSTORE_API_KEY=the-key; ${curl}`], {
    encoding: 'utf8',
  })
    .trimEnd()
    .split('\n');

test('toCurl is the request as a command that a shell reads right, with a variable for the key', async () => {
  const apiKey = 'a-key-in-a-header';
  const curlOf = async (call: (client: PetStoreClient) => Promise<unknown>) =>
    (await failureOf(errorResponse(400), call, { int64: 'bigint', apiKey })).toCurl()!;
  const create = await curlOf((client) =>
    client.createPet({ name: `O'Neill $HOME "x" \`id\``, categoryId: 2n ** 60n }),
  );
  const key = 'Authorization: Bearer the-key';
  expect(create).toContain('$PETSTORE_API_KEY');
  expect(words(create)).toEqual([
    ...['-g', '-i', '-X', 'POST', 'https://pets.test/v1/pets', '-H', key],
    ...['-H', 'Content-Type: application/json'],
    ...['--data-raw', `{"name":"O'Neill $HOME \\"x\\" \`id\`","categoryId":1152921504606846976}`],
  ]);
  const list = await curlOf((client) => client.listPets({ limit: 5, status: 'sold' }));
  const listed = 'https://pets.test/v1/pets?limit=5&status=sold';
  expect(words(list)).toEqual(['-g', '-i', '-X', 'GET', listed, '-H', key]);
  const typeOf = async (type: string) =>
    words(
      await curlOf((client) => {
        const headers = { 'Content-Type': type };
        return client.request({ method: 'PUT', path: '/x', body: 'a' }, { headers });
      }),
    )[8];
  expect(await typeOf(`text/x; of='a b'`)).toBe(`Content-Type: text/x; of='a b'`);
  expect(await typeOf(`text/x; of=${apiKey}`)).toBe('[text withheld: it contains the API key]');
  const head = await curlOf((client) => client.request({ method: 'HEAD', path: '/x' }));
  expect(words(head).slice(0, 3)).toEqual(['-g', '--head', 'https://pets.test/v1/x']);
});

test('where no request was made there is no command', async () => {
  const refused = await failureOf(errorResponse(400), (client) => client.listPets({ limit: 0 }));
  expect(refused.toCurl()).toBeUndefined();
  expect(new ConfigurationError('x').toCurl()).toBeUndefined();
});
