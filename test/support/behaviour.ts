import type { MockService, MockServiceOptions } from '../../mocks/service/types.js';

/** One request of a scenario; the key is `mock-free` unless told, none if `null`. */
interface Step {
  method?: string;
  path: string;
  key?: string | null;
  type?: string;
  body?: string;
}

/** What a scenario is made of: the service's options, what is prepared, the requests, and the statuses they get. */
export interface Scenario {
  title: string;
  options?: MockServiceOptions;
  prepare?: (service: MockService) => void;
  /** The answers break the contract on purpose. */
  faulty?: boolean;
  steps: readonly Step[];
  /** The status of each answer; 'broken': the request fails; 'cut': its body does. */
  expected: readonly (number | 'broken' | 'cut')[];
}

/** An answer as the one who asked sees it. */
export interface Seen {
  status: number | 'broken' | 'cut';
  body: string;
  headers: Record<string, string>;
}

const json = 'application/json';
const create = (body: string, type = json): Step => ({
  method: 'POST',
  path: '/v1/pets',
  type,
  body,
});
const list: Step = { path: '/v1/pets' };
const fault = (...added: Parameters<MockService['faults']['add']>) => ({
  faulty: true,
  prepare: (service: MockService) => void service.faults.add(...added),
});

/** The behaviour that every way of reaching the service must show alike. */
export const scenarios: readonly Scenario[] = [
  {
    title: 'lists, filters and limits',
    steps: [
      list,
      { path: '/v1/pets?limit=1' },
      { path: '/v1/pets?status=sold&limit=100' },
      { path: '/v1/pets?limit=0' },
    ],
    expected: [200, 200, 200, 400],
  },
  {
    title: 'creates a pet and gets it again',
    steps: [
      create('{"name":"Rex ❤ 犬","categoryId":3,"status":"pending"}'),
      { path: '/v1/pets/6' },
      { path: '/v1/pets/7' },
    ],
    expected: [201, 200, 404],
  },
  {
    title: 'keeps an int64 digit for digit, in body and path',
    options: { seed: [{ id: 9223372036854775807n, name: 'Max', categoryId: 1 }] },
    steps: [
      create('{"name":"Big","categoryId":9007199254740993}'),
      { path: '/v1/pets/9223372036854775807' },
      list,
    ],
    expected: [201, 200, 200],
  },
  {
    title: 'refuses bodies that break the contract',
    steps: [
      create('{"name":7}'),
      create('{'),
      create(''),
      create('[]'),
      create('name=x', 'application/x-www-form-urlencoded'),
    ],
    expected: [400, 400, 400, 400, 400],
  },
  {
    title: 'refuses a body that is too long',
    options: { assumptions: { maxBodyBytes: 1000 } },
    steps: [create(`{"name":"${'x'.repeat(5000)}","categoryId":1}`), list],
    expected: [413, 200],
  },
  {
    title: 'tells no date where it is assumed to tell none',
    options: { assumptions: { dateHeader: false } },
    steps: [list],
    expected: [200],
  },
  {
    title: 'refuses a missing or unknown key',
    steps: [
      { path: '/v1/pets', key: null },
      { path: '/v1/pets', key: 'nobody' },
      { path: '/v1/pets/1', key: null },
    ],
    expected: [401, 401, 401],
  },
  {
    title: 'answers what it does not know',
    steps: [
      { path: '/v1/nothing' },
      { path: '/' },
      { path: '/elsewhere?x=%zz' },
      { method: 'DELETE', path: '/v1/pets' },
      { method: 'HEAD', path: '/v1/pets' },
      { path: '/v1/store/orders' },
      { path: '/v1/pets/none' },
      { path: '/V1/Pets' },
    ],
    expected: [404, 404, 404, 405, 405, 501, 404, 404],
  },
  {
    title: 'refuses beyond the quota, and bans who goes on',
    prepare: (service) => service.keys.get('mock-free').setRemaining('minute', 1),
    steps: [list, list, list, list, list, list, list, list],
    expected: [200, 429, 429, 429, 429, 429, 429, 429],
  },
  {
    title: 'plays a status fault',
    ...fault({ status: 503, times: 1 }),
    steps: [list, list],
    expected: [503, 200],
  },
  {
    title: 'plays a page of HTML',
    ...fault({ html: true, times: 1 }),
    steps: [list, list],
    expected: [200, 200],
  },
  {
    title: 'plays an empty body',
    ...fault({ 'empty-body': true, times: 1 }),
    steps: [list, list],
    expected: [200, 200],
  },
  {
    title: 'plays malformed JSON',
    ...fault({ 'malformed-json': true, times: 1 }),
    steps: [list, list],
    expected: [200, 200],
  },
  {
    title: 'plays drift',
    ...fault({ drift: 'huge-id', times: 1 }),
    steps: [list, list],
    expected: [200, 200],
  },
  {
    title: 'plays a slow body',
    ...fault({ 'slow-body': 200, times: 1 }),
    steps: [list, list],
    expected: [200, 200],
  },
  {
    title: 'plays a raw Retry-After',
    ...fault({ 'retry-after': 'soon', times: 1 }),
    steps: [list, list],
    expected: [429, 200],
  },
  {
    title: 'plays missing rate-limit headers',
    ...fault({ 'no-rate-limit-headers': true, times: 1 }),
    steps: [list, list],
    expected: [200, 200],
  },
  {
    title: 'plays a skewed clock',
    ...fault({ 'clock-skew': 90_000, times: 1 }),
    steps: [list, list],
    expected: [200, 200],
  },
  {
    title: 'breaks the connection',
    ...fault({ 'network-error': true, times: 1 }),
    steps: [list, list],
    expected: ['broken', 200],
  },
  {
    title: 'cuts a body off',
    ...fault({ 'drop-body': true, times: 1 }),
    steps: [list, list],
    expected: ['cut', 200],
  },
];

/** The options of each scenario's service: a clock that stands still, so that answers can be compared. */
export const optionsOf = ({ options }: Scenario): MockServiceOptions => ({
  clock: 'virtual',
  seed: 5,
  ...options,
});

/** Headers of the connection, not of the service. */
const ofTheWay = /^(connection|keep-alive|transfer-encoding|content-length)$/;

/** Plays the requests one after the other, through `send`, against `address`. */
export async function play(
  { steps }: Scenario,
  address: string,
  send: typeof fetch,
): Promise<Seen[]> {
  const seen: Seen[] = [];
  for (const step of steps) seen.push(await ask(step, address, send));
  return seen;
}

async function ask(
  { method = 'GET', path, key = 'mock-free', type, body }: Step,
  address: string,
  send: typeof fetch,
): Promise<Seen> {
  const headers = {
    ...(key !== null && { Authorization: `Bearer ${key}` }),
    ...(type && { 'Content-Type': type }),
  };
  let response: Response;
  try {
    response = await send(address + path, { method, headers, ...(body !== undefined && { body }) });
  } catch {
    return { status: 'broken', body: '', headers: {} };
  }
  const shown = Object.fromEntries([...response.headers].filter(([name]) => !ofTheWay.test(name)));
  try {
    return { status: response.status, body: await response.text(), headers: shown };
  } catch {
    return { status: 'cut', body: '', headers: shown };
  }
}
