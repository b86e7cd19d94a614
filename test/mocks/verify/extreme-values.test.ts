// Services whose responses have values at and beyond the edge of what the mock takes: a run ends with a report all the same.
import { expect, test } from 'vitest';
import { parseJson, stringifyJson } from '../../../src/contract/json.js';
import { createMockService, readAssumptions, writeAssumptionsFile } from '../../../mocks/index.js';
import { reportText, verifyService, type VerifyOptions } from '../../../mocks/verify/index.js';

interface Changes {
  /** Default: with GET alone. */
  readonly options?: Partial<VerifyOptions>;
  /** Headers in place of those of the service, where a response has the status. */
  readonly headers?: (status: number) => Readonly<Record<string, string>>;
  /** The body in place of that of the service. */
  readonly body?: (text: string, status: number, path: string) => string;
}

async function verify({ options, headers = () => ({}), body = (text) => text }: Changes) {
  const service = createMockService({ clock: 'virtual', seed: 30 });
  const report = await verifyService({
    baseUrl: 'https://staging.petstore.example',
    apiKey: 'mock-free',
    clock: service.clock,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const response = await service.fetch(request);
      const { status } = response;
      const all = new Headers(response.headers);
      for (const [name, value] of Object.entries(headers(status))) all.set(name, value);
      const text = body(await response.text(), status, new URL(request.url).pathname);
      return new Response(text === '' ? null : text, { status, headers: all });
    },
    ...options,
  });
  // Whatever was measured can be printed, written and given to a mock.
  reportText(report);
  parseJson(stringifyJson(report));
  createMockService({ assumptions: readAssumptions(writeAssumptionsFile(report.measured)) });
  return report;
}

const on =
  (wanted: number, values: Readonly<Record<string, string>>) =>
  (status: number): Readonly<Record<string, string>> =>
    status === wanted ? values : {};
const always = (values: Readonly<Record<string, string>>) => () => values;
const deep = `${'['.repeat(4_000)}${']'.repeat(4_000)}`;

/** By what a service has. */
const extremes: Readonly<Record<string, Changes>> = {
  'a Reset far beyond all dates': { headers: always({ 'x-ratelimit-reset': '9'.repeat(30) }) },
  'a quota that is used up until a time beyond all dates': {
    headers: always({ 'x-ratelimit-reset': '9'.repeat(30), 'x-ratelimit-remaining': '0' }),
  },
  'a Date in the year 275760': { headers: always({ date: '+275760-09-13T00:00:00.000Z' }) },
  'a Date before the year 1': { headers: always({ date: '-200000-01-01T00:00:00.000Z' }) },
  'a limit of 10^15 - 1': {
    headers: always({ 'x-ratelimit-limit': '9'.repeat(15), 'x-ratelimit-remaining': '9' }),
  },
  'a Retry-After that is no number': {
    headers: on(429, { 'retry-after': 'NaN' }),
    options: { allow: ['rate-limit'] },
  },
  'a Retry-After far beyond all dates': {
    headers: on(429, { 'retry-after': '9'.repeat(30) }),
    options: { allow: ['rate-limit'] },
  },
  'ids beyond int64': {
    options: { allow: ['create'] },
    body: (text) => text.replaceAll(/"id":(\d+)/g, '"id":$19999999999999999999'),
  },
  'ids that are fractions': { body: (text) => text.replaceAll(/"id":(\d+)/g, '"id":$1.5') },
  'one id for all pets': { body: (text) => text.replaceAll(/"id":\d+/g, '"id":1') },
  'names with half a surrogate pair': { body: (text) => text.replaceAll(/"name":"/g, '$&\\ud800') },
  'a status of pets that is no PetStatus': {
    body: (text) => text.replaceAll(/"status":"\w+"/g, '"status":"lost"'),
  },
  'messages nested 4,000 deep': {
    body: (text) => text.replaceAll(/"message":"[^"]*"/g, `"message":${deep}`),
  },
  'fields nested 4,000 deep': { body: (text) => text.replaceAll(/"name":/g, `"more":${deep},$&`) },
  'codes that steer a terminal': {
    body: (text) => text.replaceAll(/"code":"/g, '$&\\u001b[2J\\u202e'),
  },
  'codes named as those of every object': {
    body: (text) => text.replaceAll(/"code":"\w+"/g, '"code":"__proto__","constructor":1'),
  },
  'errors without a body': { body: (text, status) => (status >= 400 ? '' : text) },
  'errors that are a list of pets': {
    body: (text, status) => (status >= 400 ? '[{"id":1,"name":"x","categoryId":1}]' : text),
  },
};

test.for(Object.entries(extremes))('a service with %s gets a report', async ([, changes]) => {
  const report = await verify(changes);
  expect([0, 1, 2]).toContain(report.exitCode);
  expect(reportText(report).replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});
