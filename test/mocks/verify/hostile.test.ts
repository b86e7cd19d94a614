// Targets that are no such service, stand badly in front of one, or answer beyond all edges: each gets a verdict that names it, in time.
import { expect, test, vi } from 'vitest';
import { parseJson, stringifyJson } from '../../../src/contract/json.js';
import { createMockService, readAssumptions, writeAssumptionsFile } from '../../../mocks/index.js';
import { reportText, type VerifyOptions, type VerifyReport } from '../../../mocks/verify/index.js';
import { changed, verifyMock, type Target } from '../../support/verified.js';
import { rejection } from '../../support/world.js';

const apiKey = 'sk/live+Geheim=="\\<0>';
const keys = { [apiKey]: { plan: 'free' } } as const;
const keyInJson = JSON.stringify(apiKey).slice(1, -1);
const json = { 'content-type': 'application/json' };
const echoes = { 'content-type': `application/json; key=${apiKey}`, date: apiKey };

const always =
  (body: BodyInit | null | (() => BodyInit), init: ResponseInit = { headers: json }): Target =>
  () =>
  () =>
    Promise.resolve(new Response(typeof body === 'function' ? body() : body, init));
const alwaysJson = (value: object, status = 200) =>
  always(JSON.stringify(value), { status, headers: json });
const alwaysError = (status: number, code = 'x', message = 'x') =>
  alwaysJson({ code, message, status }, status);
/** Sets headers of every answer, or of those with a status. */
const withHeaders = (values: Readonly<Record<string, string>>, wanted?: number) =>
  changed(({ status, headers }) => {
    for (const [name, value] of Object.entries(status === (wanted ?? status) ? values : {}))
      headers.set(name, value);
    return { headers };
  });
const withQuota = (limit: string, remaining: string, reset?: string) =>
  withHeaders({
    'x-ratelimit-limit': limit,
    'x-ratelimit-remaining': remaining,
    ...(reset !== undefined && { 'x-ratelimit-reset': reset }),
  });
const withRetryAfter = (value: string) => withHeaders({ 'retry-after': value }, 429);
const withText = (change: (text: string, status: number) => string) =>
  changed(({ text, status }) => ({ text: change(text, status) }));
const replacing = (pattern: RegExp, by: string) => withText((text) => text.replaceAll(pattern, by));
const withErrors = (change: (text: string) => string) =>
  withText((text, status) => (status < 400 ? text : change(text)));
/** Another program sends with the key as well. */
const withAnotherProgram: Target = (service) => {
  let count = 0;
  const init = { headers: { authorization: `Bearer ${apiKey}` } };
  return async (...sent) => {
    if (++count % 3 === 0) await service.fetch('https://staging.petstore.example/v1/pets', init);
    return service.fetch(...sent);
  };
};
const stream =
  (pull: (to: ReadableStreamDefaultController<Uint8Array>) => void = () => {}) =>
  () =>
    new ReadableStream({ pull });
const long = new TextEncoder().encode('[0,'.repeat(20_000));
const more = (to: ReadableStreamDefaultController<Uint8Array>) => to.enqueue(long);
const beyond = '9'.repeat(30);
const deep = `${'['.repeat(4_000)}${']'.repeat(4_000)}`;

const verify = (target: Target, options: Partial<VerifyOptions> = {}) =>
  verifyMock({}, { apiKey, ...options }, { keys }, target);

/** Nothing of a report holds the key, in any form in which a service may send it back. */
function assertNoKey(report: VerifyReport): void {
  const printed = [
    JSON.stringify(report, (_name, value: unknown) => (typeof value === 'bigint' ? '' : value)),
    reportText(report),
  ].join('\n');
  for (const form of [
    apiKey,
    encodeURIComponent(apiKey),
    keyInJson,
    btoa(apiKey).slice(0, -4),
    btoa(`Bearer ${apiKey}`).slice(12, -4),
    btoa(`x:${apiKey}`).slice(4, -4),
    'Geheim',
  ])
    expect(printed.toLowerCase()).not.toContain(form.toLowerCase());
}

const noPets = /not an array of pets/;
const holds = /Every statement that was judged holds/;
const noShape = /✗ error\.shape .*no object with code, message and status/;
const noAnswer = /no whole answer within 300 ms/;
const usedUp = /Stopped: 0 of 60 requests left, after 8 waits/;
const refusedKey =
  /^(?:.*\n){0,11}The service could not be asked: the API key was refused with 401: check that it is a key of this environment\. Exit 2\.\n$/;
const page = always('<html>', { headers: { 'content-type': 'text/html' } });
const location = `https://elsewhere.example/?key=${encodeURIComponent(apiKey)}`;
const redirect = always(null, { status: 302, headers: { location } });
const cut = new TypeError('terminated');
const refused = new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') });
const wrongStatus =
  /✗ list\.status-filter {2}status=available also answers pets with another status/;
const noQuota =
  /answer\.rate-limit-headers.*X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset/;
const withProtoCode = replacing(/"code":"\w+"/g, '"code":"__proto__","constructor":1');
const severalCodes = /contentType +the answers fit these[^]*missingKey +it has several codes/;
const sameErrors =
  /storeOrders +\{"status":501,[^]*contentType +.* these: \{"status":400\} or ignore/;
const unexplained =
  /(?:\? \w+ +no way of counting .*: another program may use the key\s+){5}.*\s+\? retryAfter +no way/;
const withEchoedCode = withErrors((text) => text.replace(/"code":"/, `$&${keyInJson} `));
const withRandomCodes = withErrors((text) => text.replace(/"code":"/, `$&${Math.random()}`));
const alike = (text: string) =>
  JSON.stringify({ ...JSON.parse(text), code: 'e', message: 'Error' });

/** What stands there instead of the service, by its exit code, and what the verdict says. Where nothing else is said, GET alone is allowed. */
type Rows = readonly (readonly [string, RegExp, Target, VerifyOptions['allow']?])[];
const harmless: Rows = [
  ['a cache in front', /minuteWindow +a cache has answered/, withHeaders({ age: '30' })],
  ['headers that echo the key', holds, withHeaders(echoes)],
  ['a Reset far beyond all dates', holds, withHeaders({ 'x-ratelimit-reset': beyond })],
  ['a Date in the year 275760', holds, withHeaders({ date: '+275760-09-13T00:00:00.000Z' })],
  ['a Retry-After that is no number', holds, withRetryAfter('NaN'), ['rate-limit']],
  ['a Retry-After far beyond all dates', holds, withRetryAfter(beyond), ['rate-limit']],
  ['names with half a surrogate pair', holds, replacing(/"name":"/g, '$&\\ud800')],
  ['fields nested 4,000 deep', holds, replacing(/"name":/g, `"more":${deep},$&`)],
  ['codes that steer a terminal', holds, replacing(/"code":"/g, '$&\\u001b[2J\\u202e')],
  ['codes named as those of every object', holds, withProtoCode],
  ['codes that echo the key', /answers\.petNotFound +its code repeats the request/, withEchoedCode],
  ['codes drawn at random', severalCodes, withRandomCodes, ['posts']],
  ['errors that all say the same', sameErrors, withErrors(alike), ['posts']],
  ['another program on the key', unexplained, withAnotherProgram, ['rate-limit']],
];
const wrong: Rows = [
  ['a page of HTML', /the body is not JSON \(Content-Type: text\/html\)/, page],
  ['a redirect that repeats the key', /redirects \(302\) to https:\/\/elsewhere/, redirect],
  ['JSON of another shape', noPets, alwaysJson({ data: [] })],
  ['a 404 on everything', /404 for \/v1\/pets: is the address right\? --base/, alwaysError(404)],
  ['204 on everything', /status 204/, always(null, { status: 204 })],
  ['an empty list on everything', /auth\.missing-401.*→ 200/, alwaysJson([])],
  ['a service without headers', noQuota, changed(() => ({ headers: new Headers(json) }))],
  ['headers that are no numbers', /✗ answer\.rate-limit/, withQuota('many', '1', 'soon')],
  ['ids beyond int64', noPets, replacing(/"id":(\d+)/g, '"id":$19999999999999999999'), ['create']],
  ['one id for all pets', /✗ list\.id-unique .*have the id 1/, replacing(/"id":\d+/g, '"id":1')],
  ['pets whose status is none', wrongStatus, replacing(/"status":"\w+"/g, '"status":"lost"')],
  ['messages nested 4,000 deep', noShape, replacing(/"message":"[^"]*"/g, `"message":${deep}`)],
  ['errors without a body', noShape, withErrors(() => '')],
];
const stopped: Rows = [
  ['an endless body', /a body of more than 1048576 bytes/, always(stream(more))],
  ['a body that never comes', noAnswer, always(stream())],
  ['a body that is cut off', /no response: terminated/, always(stream((to) => to.error(cut)))],
  ['no answer at all', noAnswer, () => () => new Promise(() => {})],
  ['a connection that is refused', /failed: ECONNREFUSED/, () => () => Promise.reject(refused)],
  ['a 500 on everything', /out of order \(500\)/, alwaysError(500, 'x', apiKey)],
  ['a 429 on everything', /Stopped: a 429 that was not asked for/, always(null, { status: 429 })],
  ['a key that is refused', refusedKey, alwaysError(401, apiKey, btoa(apiKey))],
  ['a limit of 0', /Stopped: 0 of 0 requests left/, withQuota('0', '0')],
  ['a quota that stays used up', usedUp, withHeaders({ 'x-ratelimit-remaining': '0' })],
  ['a quota that is used up forever', usedUp, withQuota('60', '0', beyond)],
  ['a limit of 10^15 - 1', /Stopped: 9 of 999999999999999 req/, withQuota('9'.repeat(15), '9')],
];
const targets = [harmless, wrong, stopped].flatMap((rows, exitCode) =>
  rows.map(([what, ...row]) => [what, exitCode, ...row] as const),
);

test.for(targets)(
  '%s gets a verdict that names it, in time, and the key appears nowhere',
  async ([, exitCode, message, target, allow = []]) => {
    // Short only for what never answers: any other answer may be slow to come on a machine with other things to do.
    const late = message === noAnswer;
    const { report } = await verify(target, { allow, ...(late && { timeout: 300 }) });
    const text = reportText(report);
    expect(text).toMatch(message);
    expect([report.exitCode, text.includes(`Exit ${exitCode}.`)]).toEqual([exitCode, true]);
    if (message === sameErrors) expect(report.differences).toEqual([]);
    if (allow.length === 0) expect(report.requests).toBeLessThanOrEqual(40);
    assertNoKey(report);
    if (late) expect(report.requests).toBe(1);
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    // Whatever was measured can be printed, written and given to a mock.
    parseJson(stringifyJson(report));
    createMockService({ assumptions: readAssumptions(writeAssumptionsFile(report.measured)) });
  },
);

test.for([201, 200])(
  'a body that must be refused, but gets %i, ends all bodies',
  async (status) => {
    let posts = 0;
    const { report } = await verify(
      (service) => (input, init) => {
        if (init?.method !== 'POST' || !new Headers(init.headers).has('authorization'))
          return service.fetch(input, init);
        posts++;
        const made = { id: 77, name: 'x', categoryId: 1 };
        return Promise.resolve(Response.json(made, { status }));
      },
      { allow: ['posts', 'create'] },
    );
    expect([posts, report.petsCreated]).toEqual([1, ['77']]);
    expect(reportText(report)).toMatch(/accepted a body that it must refuse/);
  },
);

test('real orders are neither kept nor shown, and names of pets are in no report', async () => {
  const seed = [1, 2, 3].map((id) => ({ id, name: `Secret${id}`, categoryId: id }));
  const orders = changed((_answer, { url }) =>
    url.endsWith('/store/orders')
      ? { status: 200, text: '[{"id":1,"customer":"Mallory"}]' }
      : undefined,
  );
  const { report } = await verifyMock({}, {}, { seed }, orders);
  expect(report.exitCode).toBe(0);
  expect(report.assumptions['answers.storeOrders']).toMatchObject({ verdict: 'open', among: [] });
  expect(JSON.stringify(report) + reportText(report)).not.toMatch(/Mallory|customer|Secret/);
});

test('an abort ends the run, and the report tells what was found out so far', async () => {
  const stop = new AbortController();
  let count = 0;
  const { report } = await verify(
    (service) => (input, init) => {
      if (++count === 5) stop.abort(new Error('enough'));
      return service.fetch(input, init);
    },
    { signal: stop.signal },
  );
  expect([report.stopped, report.exitCode]).toEqual(['it was interrupted', 2]);
  expect(report.statements['reach']!.verdict).toBe('holds');
  expect(report.requests).toBeLessThan(6);
});

test.for<[Partial<VerifyOptions>, RegExp]>([
  [{ baseUrl: 'http://staging.petstore.example' }, /baseUrl must be https/],
  [{ baseUrl: 'localhost:4010' }, /baseUrl must be an .*, or http:\/\/localhost:4010$/],
  [{ recorded: { ids: 1 } as never }, /recorded must be what readAssumptionsFile\(text\) gives/],
  [{ baseUrl: 'https://me:secret@staging.petstore.example' }, /no user name and no password/],
  [{ apiKey: 'two words' }, /visible ASCII/],
  [{ apiKey: 12_345_678 as never }, /^apiKey is not a string$/],
  [{ clock: {} as never }, /clock must be a clock with now\(\) and sleep\(\)/],
  [{ signal: new AbortController() as never }, /signal must be an AbortSignal, got/],
  [{ secondKey: apiKey }, /another key than apiKey/],
  [{ only: [] }, /only is empty/],
  [{ only: [7 as never] }, /named "7"/],
  [{ maxRequests: 0 }, /maxRequests must be an integer from 1 to 1000/],
  [{ allow: ['everything' as never] }, /allow\.0 must be one of "posts", "create", "rate-limit"/],
])('the options %j are refused before anything is sent', async ([options, message]) => {
  const fetch = vi.fn();
  const { message: said } = await rejection<Error>(verify(() => fetch, options));
  expect(said).toMatch(message);
  expect(said).not.toMatch(/secret|Geheim/);
  expect(fetch).not.toHaveBeenCalled();
});
