import { expect, test, vi } from 'vitest';
import {
  ApiError,
  AuthenticationError,
  ConnectionError,
  PetStoreError,
  ResponseValidationError,
  ServerError,
  TimeoutError,
  type PetStoreClient,
  type PetStoreClientOptions,
  type RequestOptions,
} from '../../src/index.js';
import {
  answering,
  hostileServer,
  http,
  type Conduct,
  type HostileServer,
} from '../support/hostile.js';
import { newPet, stubClient } from '../support/stub.js';
import { rejection, turns } from '../support/world.js';

const pets = JSON.stringify([{ id: 1, name: 'Rex', categoryId: 1 }]);
const sane = answering(pets);
const write =
  (text: string, then?: 'end' | 'reset'): Conduct =>
  (socket) =>
    void socket.write(text, 'latin1', () => {
      if (then === 'end') socket.end();
      // After some turns, so that what was written has been read: a reset discards what has not.
      if (then === 'reset') void turns(20).then(() => socket.resetAndDestroy());
    });
const chunked = { 'Content-Length': '', 'Transfer-Encoding': 'chunked' };
const noLength = { 'Content-Length': '' };
const firstChunk = http(`5\r\n${pets.slice(0, 5)}\r\n`, { headers: chunked });

const clientOf = ({ url }: HostileServer, options: PetStoreClientOptions<'number'> = {}) =>
  stubClient(fetch, { baseUrl: url, timeout: 20_000, maxRetries: 0, ...options });

type ErrorClass = abstract new (...args: never[]) => PetStoreError;

const reset = /ECONNRESET|UND_ERR_SOCKET/;
const withLength = (length: number | string) => ({ headers: { 'Content-Length': String(length) } });
const redirect = (status: string, Location: string) =>
  write(http('', { status, headers: { Location } }));

/** What the network does, by the error it gives and the words of its message. A TimeoutError comes after 300 ms of fake time. */
const conducts: [ErrorClass, RegExp, Record<string, Conduct>][] = [
  [
    ConnectionError,
    reset,
    {
      'resets the connection before the headers': (socket) => socket.resetAndDestroy(),
      'closes the connection before the headers': (socket) => socket.end(),
      'resets in the middle of the headers': write('HTTP/1.1 200 OK\r\nContent-Ty', 'reset'),
      // Undici breaks the connection: a client that has not asked for it should pass over it.
      'says 100 Continue unasked': write('HTTP/1.1 100 Continue\r\n\r\n'),
    },
  ],
  [
    ConnectionError,
    /HPE_|connection failed/,
    {
      'sends garbage': write('\u0000\u0001garbage\r\n\r\n', 'end'),
      'speaks another protocol': write('SSH-2.0-OpenSSH_9.2\r\n', 'end'),
      'states a length that is no number': write(http(pets, withLength('2x'))),
      'states two lengths': write(http(pets, { headers: { 'content-length': '3' } })),
    },
  ],
  [
    ConnectionError,
    /UND_ERR_HEADERS_OVERFLOW|HPE_HEADER_OVERFLOW/,
    { 'floods with headers': write(http('[]', { headers: { 'X-Flood': 'x'.repeat(100_000) } })) },
  ],
  [
    ResponseValidationError,
    /cut short/,
    {
      'resets after the headers': write(http('', withLength(100)), 'reset'),
      'resets after the headers of a body in chunks': write(
        http('', { headers: chunked }),
        'reset',
      ),
      'sends half a body and closes': write(http(pets.slice(0, 20), withLength(100)), 'end'),
      'sends half a body in chunks and resets': write(firstChunk, 'reset'),
      'sends chunks whose sizes are no numbers': write(http('zz\r\n[]\r\n', { headers: chunked })),
      'says that the content is gzip, and it is not': write(
        http(pets, { headers: { 'Content-Encoding': 'gzip' } }),
      ),
    },
  ],
  [
    ResponseValidationError,
    /breaks off|malformed|not what the contract says/,
    {
      'states a length that is too small': write(http(pets, withLength(5))),
      'sends bytes that are no UTF-8': write(
        http('[{"id":1,"name":"\u00ff\u00fe","categoryId":"1"}]', withLength(37)),
      ),
    },
  ],
  [
    ResponseValidationError,
    /20[04], but the body is empty/,
    {
      'answers 200 and an empty body': write(http('')),
      'answers 204': write(http('', { status: '204 No Content', headers: noLength })),
    },
  ],
  [
    TimeoutError,
    /within timeout \(300 ms\)/,
    {
      'stalls before the headers': () => undefined,
      'stalls in the middle of the headers': write('HTTP/1.1 200 OK\r\nContent-Type: app'),
      'stalls in the body': write(http(pets.slice(0, 9), withLength(100))),
      'stalls in a body in chunks': write(firstChunk),
      'states a length that is too large, and stays open': write(http(pets, withLength(500))),
      'answers a status below 200 for ever': write(
        'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'.repeat(5),
      ),
    },
  ],
  [
    AuthenticationError,
    /401 with a body/,
    {
      'sends half of an error body and closes': write(
        http('{"co', { status: '401 No', ...withLength(99) }),
        'end',
      ),
    },
  ],
  [
    ApiError,
    /30[28] with a body that is empty; redirects are refused/,
    {
      'redirects to another host': redirect('302 Found', 'http://127.0.0.2:1/'),
      'redirects with 308 to itself': redirect('308 Permanent', '/v1/pets'),
    },
  ],
  [ServerError, /503 with/, { 'answers 503': write(http('', { status: '503 No' })) }],
  [PetStoreError, /./, { 'answers 999': write(http('', { status: '999 Go Away' })) }],
];

/** The error of a call that ends when 300 ms of fake time have passed, and not before. */
async function timedOut(
  server: HostileServer,
  begin: () => Promise<unknown>,
): Promise<PetStoreError> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { length } = server.requests;
  let settled = false;
  const error = rejection<PetStoreError>(begin()).finally(() => (settled = true));
  while (server.requests.length === length) await turns(1);
  await turns(20);
  vi.advanceTimersByTime(299);
  await turns(20);
  expect(settled).toBe(false);
  vi.advanceTimersByTime(1);
  return error.finally(() => vi.useRealTimers());
}

/** The error of a call, in fake time where it is to be a TimeoutError. */
const errorOf = (
  type: ErrorClass,
  server: HostileServer,
  call: (options: RequestOptions) => Promise<unknown>,
) =>
  type === TimeoutError
    ? timedOut(server, () => call({ timeout: 300 }))
    : rejection<PetStoreError>(call({}));

const calls = [
  [
    'listPets',
    (client: PetStoreClient, options: RequestOptions) =>
      client.listPets({}, { maxRetries: 0, ...options }),
  ],
  [
    'createPet',
    (client: PetStoreClient, options: RequestOptions) => client.createPet(newPet, options),
  ],
] as const;

test.each(
  conducts.flatMap(([type, message, all]) =>
    Object.entries(all).map(([name, conduct]) => [name, conduct, type, message] as const),
  ),
)(
  'when the service %s, the call gives the named error in time, createPet is sent once, and the next call works',
  async (_name, conduct, type, message) => {
    await using server = await hostileServer(conduct, sane, conduct, sane);
    const client = clientOf(server, { maxRetries: 5 });
    for (const [index, [operation, call]] of calls.entries()) {
      const error = await errorOf(type, server, (options) => call(client, options));
      expect(error).toBeInstanceOf(type);
      expect(error.message).toMatch(message);
      const isWrite = operation === 'createPet';
      expect(error.message).toMatch(/^(?:listPets|createPet) on 127\.0\.0\.1:\d+: [^\n]+$/);
      // Where the service may have added the pet.
      const isInDoubt = isWrite && (!(error instanceof ApiError) || error instanceof ServerError);
      expect(/check before you send it again|took effect/.test(error.message)).toBe(isInDoubt);
      expect(error.attempts).toHaveLength(1);
      expect(await client.listPets()).toEqual(JSON.parse(pets));
      expect(server.requests).toHaveLength(2 * index + 2);
    }
    expect(server.requests[2]).toMatch(
      /^POST \/v1\/pets HTTP\/1\.1\r\n[^]*\{"name":"Rex","categoryId":1\}$/,
    );
  },
);

test('early hints before the answer are passed over', async () => {
  const preamble =
    'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n';
  await using server = await hostileServer((socket, request) => {
    socket.write(preamble);
    sane(socket, request);
  });
  expect(await clientOf(server).listPets()).toHaveLength(1);
});
