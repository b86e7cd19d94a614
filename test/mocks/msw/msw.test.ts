import * as msw from 'msw';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createMockService } from '../../../mocks/index.js';
import { assertNodeSupportsMsw } from '../../../mocks/utils/msw-compat.js';
import { createHandlers } from '../../../mocks/msw.js';
import { setupMockServer, type MockServer } from '../../../mocks/node.js';

const withKey = { headers: { Authorization: 'Bearer mock-free' } };
const elsewhere = 'http://127.0.0.1:59999/elsewhere';
const printed = ['error', 'warn'] as const;
const own = vi.fn();

beforeEach(() => {
  own.mockClear();
  for (const level of printed) vi.spyOn(console, level).mockImplementation(() => undefined);
});

/** A server that listens until the test ends. */
function listening(options?: Parameters<typeof setupMockServer>[0], strategy?: object): MockServer {
  const server = setupMockServer(options);
  server.listen(strategy);
  onTestFinished(() => server.close());
  return server;
}

test('this project runs on the msw that its name says', () => {
  expect('handleRequest' in msw ? '2' : '3').toBe(process.env['MSW_MAJOR']);
});

test.each([
  // An address without its scheme is none.
  ['localhost:8080', 'https://staging.shop.test/v1/', 'https://api.petstore.example'],
  ['https://gate.test/pets', 'https://gate.test/pets/staging/v1', 'https://gate.test/pets'],
])(
  'with the variables %s and %s, the handlers answer for production at %s, and for staging',
  async (production, staging, address) => {
    vi.stubEnv('PETSTORE_BASE_URL', production);
    vi.stubEnv('PETSTORE_STAGING_BASE_URL', staging);
    const { service } = listening();
    for (const one of [address, staging.replace(/\/v1\/?$/, '')])
      expect((await fetch(`${one}/v1/pets`, withKey)).status).toBe(200);
    const environments = service.requests.map(({ environment }) => environment);
    expect(environments).toEqual(['production', 'staging']);
  },
);

test.each([
  'http://[::1]:8080',
  'http://127.0.0.1:59998/a(b)',
  // A folder that is called as an operation is.
  'https://gate.test/pets/v1',
  'https://gate.test/a+b/:id*/{x}',
  'https://gate.test/a.b$c^/[d]|e',
  'HTTPS://Gate.Test:443/v1/',
])('the handlers answer for the address %s, beside another one', async (baseUrl) => {
  const { service } = listening({ seed: 2, baseUrl: [baseUrl, 'https://other.test'] });
  const base = new URL(baseUrl).href.replace(/\/(v1\/?)?$/, '');
  for (const address of [base, 'https://other.test']) {
    const response = await fetch(`${address}/v1/pets`, withKey);
    expect([response.status, ((await response.json()) as unknown[]).length]).toEqual([200, 2]);
  }
  expect(service.requests[0]).toMatchObject({ path: '/v1/pets', status: 200 });
  const unknown = await fetch(`${base}/v1/fish`, withKey);
  expect(await unknown.json()).toMatchObject({ code: 'path_not_found', status: 404 });
});

const isMsw3 = process.env['MSW_MAJOR'] === '3';
test.each<[how: string, strategy: object | undefined, isError: boolean, isOwn?: boolean]>([
  ['by default', undefined, true],
  ["with onUnhandledFrame 'error'", { onUnhandledFrame: 'error' }, true],
  ["with onUnhandledFrame 'warn'", { onUnhandledFrame: 'warn' }, false],
  ["with onUnhandledRequest 'bypass'", { onUnhandledRequest: 'bypass' }, false],
  ['with a function for requests', { onUnhandledRequest: own }, isMsw3, !isMsw3],
  ['with functions', { onUnhandledRequest: own, onUnhandledFrame: own }, false, true],
])(
  '%s, assertAllHandled() reports an unhandled request once, without its query, although its error was swallowed',
  async (_how, strategy, isError, isOwn = false) => {
    const server = listening({}, strategy);
    server.events.removeAllListeners();
    // Nothing listens there: the request fails in any case, but msw prints only its own error.
    await expect(fetch(`${elsewhere}?secret=1`)).rejects.toThrow();
    const said = vi.mocked(console.error).mock.calls.join(' ');
    expect(/matching|corresponding|onUnhandled/i.test(said)).toBe(isError);
    expect(own.mock.calls.length > 0).toBe(isOwn);
    expect(server.unhandled).toEqual([`GET ${elsewhere}`]);
    expect(() => server.assertAllHandled()).toThrow(`GET ${elsewhere}`);
    expect(() => server.assertAllHandled()).not.toThrow();
  },
);

test('a request that is aborted is no defect of the handler, and makes no noise', async () => {
  const { service } = listening({ faults: [{ hang: true }] });
  const leave = new AbortController();
  const { signal } = leave;
  const hanging = fetch('https://api.petstore.example/v1/pets', { ...withKey, signal });
  const failed = expect(hanging).rejects.toThrow('enough');
  await expect.poll(() => service.requests.length).toBe(1);
  leave.abort(new Error('enough'));
  await failed;
  await new Promise((resolve) => setImmediate(resolve));
  expect(console.error).not.toHaveBeenCalled();
});

const absolute = 'baseUrl must be an absolute http: or https: URL, or an array of them, got ';
const folder = /did you mean location\.origin \+ '\/api'\?$/;
const operation =
  /: leave out '\/pets(?:\/17)?', the path of an operation; if it is a folder of the service, add \/v1$/;
test.each<[unknown, string | RegExp]>([
  ['gate.test', `${absolute}'gate.test': did you mean 'http://gate.test'?`],
  ['localhost:8080', "did you mean 'http://localhost:8080'?"],
  [['https://gate.test', 5], `${absolute}an array`],
  [new URL('https://gate.test'), `${absolute}an instance of URL: give its href`],
  [[], absolute],
  ['ftp://gate.test', absolute],
  ['//gate.test', absolute],
  ['/api', folder],
  ['https://gate.test/pets', operation],
  ['https://gate.test/v1/pets/', operation],
  ['https://gate.test/v1/pets/17', operation],
])('createHandlers refuses the address %j', (baseUrl, problem) => {
  const create = () => createHandlers(createMockService(), { baseUrl } as object);
  expect(create).toThrow(TypeError);
  expect(create).toThrow(problem);
});

test.each<[msw: 2 | 3, node: string, refused?: RegExp]>([
  [3, '20.20.2', /msw 3 needs Node 22\.12 or newer, this is 20\.20\.2.*msw@2/s],
  [3, '22.11.0', /22\.12/],
  [3, '22.12.0'],
  [2, '20.20.2'],
])('msw %i on Node %s is accepted, or refused with the way out', (msw, node, refused) => {
  const check = expect(() => assertNodeSupportsMsw(msw, node));
  if (refused) check.toThrow(refused);
  else check.not.toThrow();
});
