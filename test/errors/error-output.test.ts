import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import type { ApiError, PetStoreError } from '../../src/index.js';
import { ConfigurationError } from '../../src/index.js';
import { brokenConnection, errorResponse, stubClient, stubFetch } from '../support/stub.js';
import { rejection } from '../support/world.js';

const newPet = { name: 'Rex', categoryId: 1 };

test('toJSON of an error has all that is safe to log', async () => {
  const error = await rejection<ApiError>(
    stubClient(stubFetch(brokenConnection('ECONNRESET'))).createPet(newPet),
  );
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
  const refused = await rejection<ApiError>(stubClient(stubFetch(errorResponse(404))).getPet(1));
  expect(JSON.parse(JSON.stringify(refused))).toMatchObject({
    status: 404,
    headers: { 'content-type': 'application/json' },
  });
  expect(JSON.parse(JSON.stringify(refused))).not.toHaveProperty('cause');
});

/** What a shell makes of the command: its words. */
const words = (curl: string) =>
  execFileSync('sh', ['-c', `curl() { printf '%s\\n' "$@"; }; PETSTORE_API_KEY=the-key; ${curl}`], {
    encoding: 'utf8',
  })
    .trimEnd()
    .split('\n');

test('toCurl is the request as a command that a shell reads right, with a variable for the key', async () => {
  const client = stubClient(
    stubFetch(() => errorResponse(400)),
    { int64: 'bigint' },
  );
  const create = await rejection<PetStoreError>(
    client.createPet({ name: `O'Neill $HOME "x" \`id\``, categoryId: 2n ** 60n }),
  );
  expect(create.toCurl()).toContain('$PETSTORE_API_KEY');
  expect(words(create.toCurl()!)).toEqual([
    ...[
      '-g',
      '-i',
      '-X',
      'POST',
      'https://pets.test/v1/pets',
      '-H',
      'Authorization: Bearer the-key',
      '-H',
      'Content-Type: application/json',
    ],
    ...['--data-raw', `{"name":"O'Neill $HOME \\"x\\" \`id\`","categoryId":1152921504606846976}`],
  ]);
  const list = await rejection<PetStoreError>(client.listPets({ limit: 5, status: 'sold' }));
  expect(words(list.toCurl()!)).toEqual([
    '-g',
    '-i',
    '-X',
    'GET',
    'https://pets.test/v1/pets?limit=5&status=sold',
    '-H',
    'Authorization: Bearer the-key',
  ]);
  const head = await rejection<PetStoreError>(client.request({ method: 'HEAD', path: '/x' }));
  expect(words(head.toCurl()!).slice(0, 3)).toEqual(['-g', '--head', 'https://pets.test/v1/x']);
});

test('where no request was made there is no command', async () => {
  expect(
    (await rejection<PetStoreError>(stubClient(stubFetch()).listPets({ limit: 0 }))).toCurl(),
  ).toBeUndefined();
  expect(new ConfigurationError('x').toCurl()).toBeUndefined();
});
